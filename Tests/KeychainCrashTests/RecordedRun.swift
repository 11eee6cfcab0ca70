// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore

/// A scenario recorded once on the recording VFS.
struct RecordedRun: Sendable {
    let recorder: Recorder
    /// The inventory after each number of acknowledged operations.
    let inventories: [Inventory]
    /// The files next to the database after each number of acknowledged operations.
    let companions: [StoreFiles]
    /// The final files.
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
            // A low threshold, so that a few operations cause several checkpoints.
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

    /// Creates a store with the real file system and closes it.
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
            // Reading these files is safe: SQLite holds no locks on them.
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
        return files
    }
}
