// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainStore
import KeychainTestSupport
import Testing

/// The format of code signatures, compared with signatures of an independent implementation.
@Suite struct SignatureFormatTests {
    @Test func `the test vectors include valid and damaged signatures`() {
        #expect(SignatureVector.valid.count >= 5)
        #expect(Set(SignatureVector.damaged.map(\.expectation)).count == 7)
    }

    @Test(arguments: SignatureVector.valid)
    func `signing gives the same bytes as the independent implementation`(vector: SignatureVector) throws {
        let statement = try vector.statement()
        let signature = try CodeSignature(signing: statement, with: vector.key("signing-seed"))
        #expect(signature.bytes == vector.bytes)
        #expect(statement.team.text == (try vector.text("team")))
    }

    @Test(arguments: SignatureVector.valid)
    func `a signature of the independent implementation has the fields of its vector`(
        vector: SignatureVector
    ) throws {
        #expect(try CodeSignature(verifying: vector.bytes).statement == vector.statement())
    }

    @Test(arguments: SignatureVector.damaged)
    func `a damaged signature is refused for its reason`(vector: SignatureVector) throws {
        let damage = #expect(throws: SignatureDamage.self) { try CodeSignature(verifying: vector.bytes) }
        #expect(damage?.name == vector.expectation)
    }

    @Test func `a signature with any bit changed is refused`() throws {
        let bytes = try SignatureVector.named("full").bytes
        let bits = Sampling.some(400, of: Array(0..<bytes.count * 8), for: "bits of a signature")
        for bit in bits {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SignatureDamage.self, "bit \(bit)") { try CodeSignature(verifying: changed) }
        }
    }

    @Test func `a truncated signature is refused`() throws {
        let bytes = try SignatureVector.named("full").bytes
        for count in 0..<bytes.count {
            #expect(throws: SignatureDamage.malformed, "\(count) bytes") {
                try CodeSignature(verifying: Array(bytes.prefix(count)))
            }
        }
    }

    @Test func `entitlements that would be refused are not signed`() throws {
        let statement = try SignatureVector.named("full").statement()
        let foreign = SignedStatement(
            executable: statement.executable,
            certificate: statement.certificate,
            signedAt: 0,
            expires: 0,
            isGroupLevelOnly: false,
            entitlements: SignedEntitlements(
                identifier: "app",
                accessGroups: ["OTHERTEAMOTHERTE.group"],
                applicationGroups: []
            )
        )
        #expect(throws: EntitlementDefect.foreignGroup("OTHERTEAMOTHERTE.group")) {
            try CodeSignature(signing: foreign, with: .random())
        }
    }

    @Test func `an identifier of a team is 16 characters of base32`() throws {
        let team = TeamIdentifier(of: Ed25519PrivateKey.random().publicKey)
        #expect(team.text.utf8.count == 16)
        #expect(TeamIdentifier(team.text) == team)
        for text in ["", "ABCDEFGHIJKLMNO", "ABCDEFGHIJKLMNOPQ", "abcdefghijklmnop", "ABCDEFGHIJKLMNO1"] {
            #expect(TeamIdentifier(text) == nil, "\(text)")
        }
    }
}
