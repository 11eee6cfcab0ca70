// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct TeamKeysTests {
    private let keys = TeamKeys(makingTeam: "Example", validUntil: 9)
    private let cost = PasscodeCost(doublings: 3)

    private func passcode(_ text: String = "canary") -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    @Test func `a sealed file opens with its passcode`() throws {
        let opened = try TeamKeys(opening: keys.sealed(under: passcode(), cost: cost), with: passcode())
        #expect(opened.name == "Example")
        #expect(opened.team == keys.team)
        #expect(opened.certificate == keys.certificate)
        #expect(opened.teamKey?.seed == keys.teamKey?.seed)
        #expect(opened.signingKey.seed == keys.signingKey.seed)
    }

    @Test func `another passcode does not open a file`() throws {
        let file = try keys.sealed(under: passcode(), cost: cost)
        #expect(throws: StatusError(.authenticationFailed, .wrongPassphrase)) {
            try TeamKeys(opening: file, with: passcode("other"))
        }
    }

    @Test func `a file with any byte changed does not open`() throws {
        let file = try keys.sealed(under: passcode(), cost: cost)
        // Leaves out bytes 8 and 9, the cost of the key derivation: a larger cost is valid and would take too
        // long. The next test covers invalid costs.
        let places = Array(0..<file.count).filter { $0 != 8 && $0 != 9 }
        for place in Sampling.some(40, of: places, for: "bytes of a team's keys") {
            var changed = file
            changed[place] ^= 1
            #expect(throws: StatusError.self, "byte \(place)") {
                try TeamKeys(opening: changed, with: passcode())
            }
        }
    }

    @Test(arguments: [(8, 0), (8, 17), (9, 2), (9, 21), (9, 255)])
    func `a cost out of range is refused before anything is derived`(place: Int, value: UInt8) throws {
        var file = try keys.sealed(under: passcode(), cost: cost)
        file[place] = value
        #expect(throws: StatusError(.notAvailable, .passcodeCostUnknown)) {
            try TeamKeys(opening: file, with: passcode())
        }
    }

    @Test func `a truncated file is refused`() throws {
        let file = try keys.sealed(under: passcode(), cost: cost)
        for count in [0, 7, 8, 31, 32, 71] {
            #expect(throws: StatusError(.unknownFormat)) {
                try TeamKeys(opening: Array(file.prefix(count)), with: passcode())
            }
        }
    }

    @Test func `a rotated file has another signing key of the same team`() throws {
        let rotated = try #require(keys.rotated(validUntil: 10))
        #expect(rotated.team == keys.team)
        #expect(rotated.certificate.serial == 2)
        #expect(rotated.certificate.validUntil == 10)
        #expect(rotated.signingKey.publicKey != keys.signingKey.publicKey)
    }

    @Test func `a file without the team key signs and cannot rotate`() throws {
        let file = try keys.withoutTeamKey.sealed(under: passcode(), cost: cost)
        let signer = try TeamKeys(opening: file, with: passcode())
        #expect(signer.teamKey == nil)
        #expect(signer.rotated(validUntil: 0) == nil)
        let executable = ExecutableDigest(digest: .random(), size: 1)
        let signature = try signer.sign(
            executable,
            SignedEntitlements(identifier: "app", accessGroups: [], applicationGroups: []),
            at: 1,
            expires: 0,
            isGroupLevelOnly: false
        )
        #expect(try CodeSignature(verifying: signature.bytes).statement.team == keys.team)
    }

    @Test func `the team file trusts the keys`() throws {
        let team = try TeamFile.parse(Array(keys.file(group: "keychain-example").utf8))
        #expect(team.identifier == keys.team)
        #expect(team.name == "Example")
        #expect(team.group == "keychain-example")
    }

    @Test func `a group that users can join is refused for a team`() {
        #expect(throws: TeamGroupDefect.administrators) { try TeamGroup.number(of: "root") }
        #expect(throws: TeamGroupDefect.missing) { try TeamGroup.number(of: "keychain-no-such-group") }
    }
}
