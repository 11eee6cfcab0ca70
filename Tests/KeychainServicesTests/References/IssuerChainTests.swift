// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// `kSecMatchIssuers` follows the issuer chain among the stored certificates.
@Suite(.searchedKeychain) struct IssuerChainTests {
    /// Returns the content octets of a distinguished name with one common name.
    private static func name(_ number: Int) -> Data {
        let text = Data("canary \(number)".utf8)
        let attribute = element(0x30, [0x06, 0x03, 0x55, 0x04, 0x03] + element(0x0C, text))
        return element(0x31, attribute)
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        Data([tag, UInt8(content.count)]) + content
    }

    /// Returns a certificate item with malformed data, whose subject and issuer are set as attributes.
    private static func certificate(_ number: Int, subject: Int, issuer: Int, in group: String) -> Entries {
        [
            kSecClass as String: kSecClassCertificate, kSecAttrSerialNumber as String: Data([UInt8(number)]),
            kSecAttrSubject as String: name(subject), kSecAttrIssuer as String: name(issuer),
            kSecAttrAccessGroup as String: group, kSecValueData as String: Data("canary".utf8),
        ]
    }

    /// Stores a chain: the issuer of certificate n is the subject of certificate n+1.
    private static func addChain(_ numbers: some Sequence<Int>, in group: String = "TEAM.app") {
        for number in numbers {
            let item = certificate(number, subject: number, issuer: number + 1, in: group)
            #expect(add(item).status == errSecSuccess)
        }
    }

    /// Returns the serial numbers of the certificates that have this issuer in their chain.
    private static func serials(issuer: Int, _ more: Entries = [:]) -> [UInt8] {
        let query: Entries = [
            kSecClass as String: kSecClassCertificate, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecMatchIssuers as String: [element(0x30, name(issuer))], kSecReturnAttributes as String: true,
        ]
        let found = find(query.adding(more)).result as? [[String: Any]] ?? []
        return found.compactMap { ($0[kSecAttrSerialNumber as String] as? Data)?.first }.sorted()
    }

    /// Returns whether this issuer is in the chain of certificate 0.
    private static func isFirst(issuedBy issuer: Int) -> Bool {
        serials(issuer: issuer, [kSecAttrSerialNumber as String: Data([0])]) == [0]
    }

    @Test func `the issuer chain is followed for at most ten certificates`() {
        Self.addChain(0..<14)
        for issuer in 1...11 { #expect(Self.isFirst(issuedBy: issuer), "\(issuer)") }
        for issuer in [0, 12, 13, 14] { #expect(!Self.isFirst(issuedBy: issuer), "\(issuer)") }
    }

    @Test func `a missing certificate ends the chain, and a circular chain ends too`() {
        Self.addChain([0, 1, 2, 4, 5])
        #expect(Self.isFirst(issuedBy: 3))
        #expect(!Self.isFirst(issuedBy: 4))
        let circular = Self.certificate(99, subject: 3, issuer: 0, in: "TEAM.app")
        #expect(add(circular).status == errSecSuccess)
        #expect(Self.isFirst(issuedBy: 0))
        #expect(!Self.isFirst(issuedBy: 5))
    }

    @Test func `every certificate below an issuer is found, up to the limit`() {
        Self.addChain(0..<9)
        #expect(Self.serials(issuer: 7) == [0, 1, 2, 3, 4, 5, 6])
        for limit in 2...9 {
            let found = Self.serials(issuer: 7, [kSecMatchLimit as String: limit])
            #expect(found.count == min(limit, 7))
            #expect(Set(found).isSubset(of: 0...6))
        }
    }

    @Test func `an issuer in another access group of the caller is part of the chain`() {
        Self.addChain([0])
        Self.addChain([1, 2], in: "TEAM.shared")
        let own: Entries = [kSecAttrAccessGroup as String: "TEAM.app"]
        #expect(Self.serials(issuer: 3, own) == [0])
        #expect(Self.serials(issuer: 3) == [0, 1, 2])
    }

    @Test func `malformed certificate data has no date and no email address`() {
        Self.addChain([0])
        for key in [
            kSecMatchValidOnDate: NSDate() as Any, kSecMatchEmailAddressIfPresent: "a@canary.example",
        ] {
            let query: Entries = [kSecClass as String: kSecClassCertificate, key.key as String: key.value]
            #expect(find(query).status == errSecItemNotFound)
        }
    }

    @Test func `a search for one certificate does not prompt for others`() throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .applicationPassword, nil)
        )
        let context = LAContext()
        context.setCredential(Data("canary password".utf8), type: .applicationPassword)
        Self.addChain([0])
        var closed = Self.certificate(1, subject: 1, issuer: 1, in: "TEAM.app")
        closed[kSecAttrAccessControl as String] = control
        closed[kSecUseAuthenticationContext as String] = context
        #expect(add(closed).status == errSecSuccess)
        let query: Entries = [
            kSecClass as String: kSecClassCertificate,
            kSecMatchIssuers as String: [Self.element(0x30, Self.name(1))],
            kSecUseAuthenticationUI as String: kSecUseAuthenticationUIFail,
        ]
        #expect(find(query).status == errSecSuccess)
        let all: Entries = [kSecMatchLimit as String: kSecMatchLimitAll]
        #expect(find(query.adding(all)).status == errSecInteractionNotAllowed)
    }
}
