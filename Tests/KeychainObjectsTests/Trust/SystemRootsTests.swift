// SPDX-License-Identifier: Apache-2.0

#if Trust
@testable import KeychainObjects
import Foundation
import KeychainTestSupport
import SwiftASN1
import Testing
import X509

@Suite struct SystemRootsTests {
    private static func pem(_ der: Data) -> String {
        PEMDocument(type: "CERTIFICATE", derBytes: [UInt8](der)).pemString + "\n"
    }

    /// Each argument is a string between two root certificates in a file; parsing must ignore it.
    @Test(arguments: [
        "", "# a comment\n", "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END KEY-----\n", "-----BEGIN ",
    ])
    func `a malformed block does not affect the other roots`(between: String) throws {
        let authority = try Authority.shared.get()
        let text = Self.pem(authority.root) + between + Self.pem(authority.intermediate)
        let expected = try [authority.root, authority.intermediate].map {
            try Certificate(derEncoded: [UInt8]($0))
        }
        #expect(SystemRoots.certificates(in: text) == expected)
        #expect(SystemRoots.certificates(in: between + text) == expected)
    }

    @Test func `text without PEM blocks has no roots`() {
        for text in ["", "no roots", "-----BEGIN "] { #expect(SystemRoots.certificates(in: text).isEmpty) }
    }
}
#endif
