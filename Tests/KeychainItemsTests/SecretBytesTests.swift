// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainItems
import Testing

@Suite struct SecretBytesTests {
    @Test func `descriptions and mirrors do not show the bytes`() {
        let secret = SecretBytes("canary")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\(Optional(secret) as Any)"] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("99"), "the ASCII code of the first letter")
        }
        #expect("\(secret)" == "[6 secret bytes]")
    }

    @Test func `secrets are equal if their bytes are`() {
        #expect(SecretBytes("canary") == SecretBytes(Array("canary".utf8)))
        #expect(SecretBytes("canary") != SecretBytes("canarz"))
        #expect(SecretBytes("canary") != SecretBytes("canaryy"))
        #expect(SecretBytes("") == SecretBytes([]))
        #expect(SecretBytes("").isEmpty)
    }

    @Test(arguments: [0, 1, 14, 15, 100_000])
    func `bytes convert to Data, arrays and strings and back`(count: Int) {
        let bytes = (0..<count).map { UInt8($0 % 100) }
        let secret = SecretBytes(bytes)
        #expect(secret.count == count)
        #expect([UInt8](secret: secret) == bytes)
        #expect(Data(secret: secret) == Data(bytes))
        #expect(Data(secret: secret)?.secret == secret)
        #expect(String(secret: secret)?.secret == secret)
        #expect(secret.data == Data(bytes))
    }

    @Test func `bytes that are not UTF-8 do not convert to a string`() {
        #expect(String(secret: SecretBytes([0xC3, 0x28])) == nil)
    }

    @Test(arguments: [1, 32, 4_000])
    func `the bytes are not overwritten before the last owner releases them`(count: Int) {
        var first: SecretBytes? = SecretBytes(repeatElement(0xA5, count: count))
        let second = first
        let address = first?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(second?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
        first = nil
        #expect(second?.withUnsafeBytes { $0.allSatisfy { $0 == 0xA5 } } == true)
    }
}
