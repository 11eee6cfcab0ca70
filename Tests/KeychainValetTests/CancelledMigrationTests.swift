// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainTesting
import Testing
import Valet

@Suite(.ownKeychain) struct CancelledMigrationTests {
    private static let keys: Set = ["a", "b", "c"]

    let keychain: TemporaryKeychain
    let source: Valet
    let valet: Valet

    init() throws {
        keychain = try .current
        source = .valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        valet = .valet(with: try .fresh(), accessibility: .whenUnlocked)
        for key in Self.keys { try source.setString("canary \(key)", forKey: key) }
    }

    /// Cancels a migration before its first or last copy, or before its first or last removal.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [TemporaryKeychain.Call.add, .delete],
        [0, 2]
    )
    func `cancelling a running migration moves nothing`(
        call: TemporaryKeychain.Call,
        skipped: Int
    ) async throws {
        let passed = (0..<skipped).map { _ in keychain.holdNext(in: [call]) }
        for call in passed { call.release() }
        let held = keychain.holdNext(in: [call])
        let progress = Progress(totalUnitCount: 0)
        let (source, valet) = (source, valet)
        let migration = Task {
            try await valet.async.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
        }
        await held.arrival()
        #expect(passed.count { $0.hasArrived } == skipped)
        progress.cancel()
        held.release()
        await #expect(throws: KeychainError.userCancelled) { try await migration.value }
        #expect(valet.lastFailure?.status == errSecUserCanceled)
        #expect(progress.completedUnitCount == 0)
        #expect(try valet.allKeys() == [])
        #expect(try source.allKeys() == Self.keys)
        for key in Self.keys { #expect(try source.string(forKey: key) == "canary \(key)") }
        try valet.migrateObjects(from: source, removeOnCompletion: true)
        #expect(try valet.allKeys() == Self.keys && source.allKeys() == [])
    }

    @Test func `cancelling a finished migration changes nothing`() throws {
        let progress = Progress(totalUnitCount: 0)
        try valet.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
        progress.cancel()
        #expect(progress.completedUnitCount == 6)
        #expect(try valet.allKeys() == Self.keys && source.allKeys() == [])
    }
}
#endif
