// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct UserTeamTests {
    private let team = Team(
        publicKey: Ed25519PrivateKey.random().publicKey,
        name: "Example",
        minimumSerial: 3
    )

    private func passcode(_ text: String = "canary") -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    @Test func `a team is trusted, replaced and removed with the passcode`() throws {
        try SystemKeychain.setPasscode(passcode())
        #expect(try SystemKeychain.userTeams().isEmpty)
        try SystemKeychain.trust(team, passcode: passcode())
        #expect(try SystemKeychain.userTeams() == [team])
        let changed = Team(publicKey: team.publicKey, name: "Other name", minimumSerial: 4)
        try SystemKeychain.trust(changed, passcode: passcode())
        #expect(try SystemKeychain.userTeams() == [changed])
        try SystemKeychain.stopTrusting(team.identifier, passcode: passcode())
        #expect(try SystemKeychain.userTeams().isEmpty)
    }

    @Test func `the teams are readable while the store is locked`() throws {
        try SystemKeychain.setPasscode(passcode())
        try SystemKeychain.trust(team, passcode: passcode())
        try SystemKeychain.lock()
        #expect(try SystemKeychain.userTeams() == [team])
    }

    @Test func `a wrong passcode changes no team`() throws {
        try SystemKeychain.setPasscode(passcode())
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
            try SystemKeychain.trust(team, passcode: passcode("other"))
        }
        #expect(try SystemKeychain.userTeams().isEmpty)
    }

    @Test func `a store without a passcode trusts no team of the user`() throws {
        #expect(throws: StatusError.self) { try SystemKeychain.trust(team, passcode: passcode()) }
        #expect(try SystemKeychain.userTeams().isEmpty)
    }

    @Test func `no signature grants the access group of the recorded teams`() throws {
        let entitlements = SignedEntitlements(
            identifier: "app",
            accessGroups: [UserTeams.accessGroup],
            applicationGroups: []
        )
        #expect(entitlements.defect(for: team.identifier) == .foreignGroup(UserTeams.accessGroup))
        let other = SignedEntitlements(
            identifier: "app",
            accessGroups: [],
            applicationGroups: [UserTeams.accessGroup]
        )
        #expect(other.defect(for: team.identifier) == .foreignGroup(UserTeams.accessGroup))
    }
}
