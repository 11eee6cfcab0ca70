// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore

struct RecordedRun: Sendable {
    let recorder: Recorder
    /// The expected contents of the store after each number of acknowledged operations.
    let inventories: [Inventory]
    /// The key and lock files beside the database after each number of acknowledged operations.
    let companions: [StoreFiles]
    let final: StoreFiles

    init(_ scenario: Scenario) throws {
        let scratch = try ScratchDirectory()
        let directory = try scratch.directory("store")
        let recorder = Recorder()
        var inventories = [try Self.prepare(scenario.before, in: directory)]
        var companions = [try Self.companions(of: directory)]
        do {
            var location = StoreLocation(
                directory: directory,
                createsIfMissing: false,
                fileSystem: recorder.name
            )
            // With this low threshold, a few operations cause several checkpoints.
            location.checkpointThreshold = 20
            let keychain = try EmbeddedKeychain(at: location)
            for operation in scenario.recorded {
                try operation.perform(on: keychain)
                guard let last = inventories.last, let next = operation.applied(to: last) else {
                    preconditionFailure("the scenario contradicts itself")
                }
                companions.append(try Self.companions(of: directory))
                inventories.append(next)
                recorder.markAcknowledged(inventories.count - 1)
            }
        }
        final = try StoreFiles(closedStoreAt: directory)
        (self.recorder, self.inventories, self.companions) = (recorder, inventories, companions)
    }

    /// Creates the initial store with SQLite's usual VFS, and closes it.
    static func prepare(_ operations: [Operation], in directory: String) throws -> Inventory {
        let keychain = try EmbeddedKeychain(at: StoreLocation(directory: directory))
        var inventory: Inventory = [:]
        for operation in operations {
            try operation.perform(on: keychain)
            inventory = operation.applied(to: inventory) ?? inventory
        }
        return inventory
    }

    private static func companions(of directory: String) throws -> StoreFiles {
        var files = StoreFiles()
        for name in [StoreLocation.deviceKeyName, StoreLocation.writerLockName] {
            // Closing a file drops this process's POSIX locks on it, but SQLite has none on these files.
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
        return files
    }
}
