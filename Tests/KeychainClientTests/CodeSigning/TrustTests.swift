// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainStore
import Testing

/// Whether a valid signature is trusted, and which access groups it grants.
@Suite struct TrustTests {
    private let team = Ed25519PrivateKey.random()
    private let key = Ed25519PrivateKey.random()
    private let executable = ExecutableDigest(digest: .random(), size: 7)

    private var identifier: TeamIdentifier { TeamIdentifier(of: team.publicKey) }

    private func signature(
        serial: UInt32 = 1,
        validUntil: UInt64 = 0,
        expires: UInt64 = 0,
        isGroupLevelOnly: Bool = false,
        accessGroups: [String] = [],
        applicationGroups: [String] = []
    ) throws -> [UInt8] {
        let statement = SignedStatement(
            executable: executable,
            certificate: SigningKeyCertificate(
                of: key.publicKey,
                serial: serial,
                validUntil: validUntil,
                by: team
            ),
            signedAt: 50,
            expires: expires,
            isGroupLevelOnly: isGroupLevelOnly,
            entitlements: SignedEntitlements(
                identifier: "app",
                accessGroups: accessGroups,
                applicationGroups: applicationGroups
            )
        )
        return try CodeSignature(signing: statement, with: key).bytes
    }

    private func store(_ teams: Team...) throws -> TrustStore {
        try temporaryTrustStore(teams)
    }

    private func identity(_ verdict: SignatureVerdict) throws -> SignedIdentity {
        guard case .trusted(let identity) = verdict else { throw Unexpected(verdict: verdict) }
        return identity
    }

    private struct Unexpected: Error { let verdict: SignatureVerdict }

    @Test func `a signature of a listed team is trusted`() throws {
        let store = try store(Team(publicKey: team.publicKey, name: "Example"))
        let identity = try identity(store.evaluate(signature(), of: executable, at: 100))
        #expect(identity.team.name == "Example")
        #expect(identity.applicationIdentifier == "\(identifier.text).app")
        #expect(identity.minimumLevel == .digest)
    }

    @Test func `the groups are in Apple's order and the first is the default`() throws {
        let store = try store(
            Team(publicKey: team.publicKey, name: "Example", applicationGroups: ["group.listed"])
        )
        let prefix = identifier.prefix
        let signature = try signature(
            accessGroups: [prefix + "b", prefix + "a"],
            applicationGroups: ["group.listed", prefix + "suite", "group.free"]
        )
        let identity = try identity(store.evaluate(signature, of: executable, at: 100))
        let own = [prefix + "b", prefix + "a", prefix + "app", "group.listed", prefix + "suite"]
        #expect(identity.caller { _ in false }.accessGroups == own)
        #expect(identity.caller { $0 == "group.free" }.accessGroups == own + ["group.free"])
    }

    @Test func `without access groups the identifier is the default group`() throws {
        let store = try store(Team(publicKey: team.publicKey, name: "Example"))
        let signature = try signature(applicationGroups: ["group.free"])
        let identity = try identity(store.evaluate(signature, of: executable, at: 100))
        #expect(identity.caller { _ in true }.accessGroups == ["\(identifier.text).app", "group.free"])
    }

    @Test func `an application group of another team's file is not granted`() throws {
        let other = Ed25519PrivateKey.random().publicKey
        let store = try store(
            Team(publicKey: team.publicKey, name: "Example"),
            Team(publicKey: other, name: "Other", applicationGroups: ["group.other"])
        )
        let signature = try signature(applicationGroups: ["group.other"])
        let identity = try identity(store.evaluate(signature, of: executable, at: 100))
        #expect(identity.refusedGroups == ["group.other"])
        #expect(identity.caller { _ in true }.accessGroups == ["\(identifier.text).app"])
    }

    @Test func `an application group that two files list belongs to neither team`() throws {
        let other = Ed25519PrivateKey.random().publicKey
        let store = try store(
            Team(publicKey: team.publicKey, name: "Example", applicationGroups: ["group.both"]),
            Team(publicKey: other, name: "Other", applicationGroups: ["group.both"])
        )
        let signature = try signature(applicationGroups: ["group.both"])
        let identity = try identity(store.evaluate(signature, of: executable, at: 100))
        #expect(identity.refusedGroups == ["group.both"])
    }

    @Test(arguments: [
        (serial: UInt32(1), validUntil: UInt64(0), expires: UInt64(0), Distrust.signingKeyRevoked),
        (2, 100, 0, .signingKeyExpired), (2, 99, 0, .signingKeyExpired),
        (2, 0, 100, .signatureExpired), (2, 101, 1, .signatureExpired),
    ])
    func `an expired or revoked signature is not trusted`(
        serial: UInt32,
        validUntil: UInt64,
        expires: UInt64,
        distrust: Distrust
    ) throws {
        let store = try store(Team(publicKey: team.publicKey, name: "Example", minimumSerial: 2))
        let signature = try signature(serial: serial, validUntil: validUntil, expires: expires)
        #expect(store.evaluate(signature, of: executable, at: 100) == .distrusted(distrust))
    }

    @Test func `a signature is trusted until the second in which it expires`() throws {
        let store = try store(Team(publicKey: team.publicKey, name: "Example"))
        let signature = try signature(validUntil: 102, expires: 101)
        _ = try identity(store.evaluate(signature, of: executable, at: 100))
    }

    @Test func `a revoked executable is not trusted`() throws {
        let store = try store(
            Team(publicKey: team.publicKey, name: "Example", revokedDigests: [executable.digest])
        )
        #expect(
            try store.evaluate(signature(), of: executable, at: 100) == .distrusted(.executableRevoked)
        )
    }

    @Test func `a signature of an unknown team is not trusted`() throws {
        let other = Team(publicKey: Ed25519PrivateKey.random().publicKey, name: "Other")
        #expect(
            try store(other).evaluate(signature(), of: executable, at: 100) == .distrusted(.unknownTeam)
        )
    }

    @Test func `a signature that is damaged and untrusted is reported as damaged`() throws {
        let changed = ExecutableDigest(digest: executable.digest, size: 8)
        let verdict = try TrustStore().evaluate(signature(expires: 1), of: changed, at: 100)
        #expect(verdict == .damaged(.executableChanged))
        #expect(TrustStore().evaluate([], of: executable, at: 100) == .damaged(.malformed))
    }

    @Test func `a group-level signature raises the minimum level`() throws {
        let store = try store(
            Team(publicKey: team.publicKey, name: "Example", minimumLevel: .sandbox)
        )
        let loose = try identity(store.evaluate(signature(), of: executable, at: 100))
        #expect(loose.minimumLevel == .sandbox)
        let strict = try identity(
            store.evaluate(signature(isGroupLevelOnly: true), of: executable, at: 100)
        )
        #expect(strict.minimumLevel == .group)
    }

    @Test func `a user's team cannot take the identifier of a system team`() throws {
        var store = try store(Team(publicKey: team.publicKey, name: "Example", minimumSerial: 2))
        let isAdded = store.addUserTeam(Team(publicKey: team.publicKey, name: "Mine"))
        #expect(!isAdded)
        #expect(store.teams.map(\.name) == ["Example"])
    }

    @Test func `a user's team cannot take an application group for everyone`() throws {
        var store = TrustStore()
        let isAdded = store.addUserTeam(
            Team(publicKey: team.publicKey, name: "Mine", group: "g", applicationGroups: ["group.a"])
        )
        #expect(isAdded)
        #expect(store.teams.first?.applicationGroups == [])
        #expect(store.teams.first?.group == nil)
    }
}
