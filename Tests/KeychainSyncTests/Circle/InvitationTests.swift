// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

@Suite struct InvitationTests {
    private let offer = InvitationOffer(
        circle: CircleFixture.circle,
        generation: 1,
        version: 3,
        manifest: SynchronizationCryptography.digest("manifest", []),
        role: .readOnly,
        expiry: 1_700_000_000_000,
        inviter: CircleFixture.fixedDevice.identifier,
        sequences: [CircleFixture.fixedDevice.identifier: 12]
    )

    @Test func `the string and identifier of an invitation code match the test vector`() throws {
        let code = InvitationCode(bytes: Array(0..<16))
        #expect(code.exposedText == "000G-40R4-0M30-E209-185G-R38E-1WH8")
        #expect(code.identifier.hexadecimal == "8b2055b2f864a41f109b2d54e6d6b6ff")
    }

    @Test(arguments: [
        "000G-40R4-0M30-E209-185G-R38E-1WH8", "000g40r40m30e209185gr38e1wh8",
        "OOOG 4OR4 OM3O E2O9 I85G R38E LWH8",
    ])
    func `a code is read without regard to case, hyphens and letters that look like digits`(
        text: String
    ) throws {
        let code = try #require(InvitationCode(text))
        #expect(code.exposedText == "000G-40R4-0M30-E209-185G-R38E-1WH8")
    }

    @Test func `a mistyped character is detected`() {
        let text = Array(InvitationCode(bytes: Array(0..<16)).exposedText)
        for index in text.indices where text[index] != "-" {
            var wrong = text
            wrong[index] = text[index] == "7" ? "9" : "7"
            // A code has ten check bits, so about one typing error in a thousand is not detected.
            let read = InvitationCode(String(wrong))
            #expect(read == nil || read?.identifier.hexadecimal != "8b2055b2f864a41f109b2d54e6d6b6ff")
        }
        #expect(InvitationCode("000G-40R4") == nil)
        #expect(InvitationCode("000G-40R4-0M30-E209-185G-R38E-1WHU") == nil)
    }

    @Test func `an offer opens only with its code`() throws {
        let code = InvitationCode.random()
        let sealed = offer.sealed(with: code)
        #expect(InvitationOffer(opening: sealed, with: code) == offer)
        #expect(InvitationOffer(opening: sealed, with: .random()) == nil)
        for index in sealed.indices {
            var bytes = sealed
            bytes[index] ^= 0x10
            #expect(InvitationOffer(opening: bytes, with: code) == nil)
        }
    }

    @Test func `a request authenticates the keys of the device, for one manifest and code`() throws {
        let code = InvitationCode.random()
        let device = DeviceKeys.random()
        let request = JoinRequest(device, name: "laptop", manifest: offer.manifest, code: code)
        let sealed = request.sealed(with: code)
        let opened = try #require(JoinRequest(opening: sealed, with: code, manifest: offer.manifest))
        #expect(opened.keys == device.publicKeys)
        #expect(opened.name == "laptop")
        #expect(JoinRequest(opening: sealed, with: code, manifest: .zero) == nil)
        #expect(JoinRequest(opening: sealed, with: .random(), manifest: offer.manifest) == nil)
        #expect(JoinRequest(opening: offer.sealed(with: code), with: code, manifest: offer.manifest) == nil)
    }

    @Test func `printing an invitation code does not reveal it`() {
        let code = InvitationCode.random()
        #expect(!"\(code)".contains(code.exposedText))
    }
}
