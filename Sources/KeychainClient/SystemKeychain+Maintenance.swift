// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// Verifies, backs up, repairs and re-encrypts the whole embedded store, with all access groups.
///
/// These operations are not requests: users run them on their own files, and the API does not offer them. Through
/// securityd, a program can verify and repair its user's store and rotate its keys, and back up and restore the items
/// that it may read.
extension SystemKeychain {
    /// Calls `body` with the store in this process.
    ///
    /// - Throws: `unimplemented` with `notThroughDaemon` if the daemon serves the keychain.
    private static func withStore<Result>(
        creating: Bool = false,
        _ body: (EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try withKeychain(creating: creating) { backend throws(StatusError) in
            guard let keychain = backend as? EmbeddedKeychain else {
                throw StatusError(.unimplemented, .notThroughDaemon)
            }
            return try body(keychain)
        }
    }

    /// Verifies every row; see `EmbeddedKeychain.verifyRows(_:)`.
    package static func verifyRows(_ progress: MaintenanceProgress) throws(StatusError) -> StoreVerification {
        if let address = try daemonInUse() { return try DaemonMaintenance(at: address).verify() }
        return try withStore { keychain throws(StatusError) in try keychain.verifyRows(progress) }
    }

    /// Writes an encrypted backup; see `EmbeddedKeychain.backUp(under:cost:_:to:)`.
    package static func backUp(
        under passphrase: borrowing SecretBytes,
        _ progress: MaintenanceProgress,
        to write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) -> BackupSummary {
        if let address = try daemonInUse() {
            return try DaemonMaintenance(at: address).backUp(under: passphrase, progress, to: write)
        }
        return try withStore { keychain throws(StatusError) in
            try keychain.backUp(under: passphrase, progress, to: write)
        }
    }

    /// Restores a backup; creates a missing store if the passphrase is right, except in a dry run.
    package static func restore(
        under passphrase: borrowing SecretBytes,
        conflicts: RestoreConflict,
        dryRun: Bool,
        _ progress: MaintenanceProgress,
        from read: @escaping (Int) throws(StatusError) -> [UInt8]
    ) throws(StatusError) -> RestoreSummary {
        let backup = try BackupReader(under: passphrase, read)
        if let address = try daemonInUse() {
            return try DaemonMaintenance(at: address)
                .restore(backup, conflicts: conflicts, dryRun: dryRun, progress)
        }
        return try withStore(creating: !dryRun) { keychain throws(StatusError) in
            try keychain.restore(backup, conflicts: conflicts, dryRun: dryRun, progress)
        }
    }

    /// Returns whether a rotation of the class keys has begun and not ended.
    package static func isRotatingKeys() throws(StatusError) -> Bool {
        if let address = try daemonInUse() { return try DaemonMaintenance(at: address).isRotatingKeys() }
        return try withStore { keychain throws(StatusError) in try keychain.isRotatingKeys() }
    }

    /// Returns whether this process can continue a rotation; see `EmbeddedKeychain.canContinueKeyRotation()`.
    ///
    /// The result is false through securityd, which itself continues a rotation.
    package static func canContinueKeyRotation() throws(StatusError) -> Bool {
        guard try daemonInUse() == nil else { return false }
        return try withStore { keychain throws(StatusError) in try keychain.canContinueKeyRotation() }
    }

    /// Creates new class keys, which the rotation will use, unless a rotation has already begun.
    ///
    /// Through securityd, this call also begins to encrypt the rows in the background.
    package static func beginKeyRotation() throws(StatusError) {
        if let address = try daemonInUse() {
            return try DaemonMaintenance(at: address).beginKeyRotation()
        }
        try withStore { keychain throws(StatusError) in try keychain.beginKeyRotation() }
    }

    /// Unlocks the keychain with the passcode, and creates new class keys unless a rotation has already begun.
    package static func beginKeyRotation(with passcode: borrowing SecretBytes) throws(StatusError) {
        if let address = try daemonInUse() {
            return try DaemonMaintenance(at: address).beginKeyRotation(with: passcode)
        }
        try withStore { keychain throws(StatusError) in try keychain.beginKeyRotation(with: passcode) }
    }

    /// Encrypts every row under the new class keys; see `EmbeddedKeychain.resumeKeyRotation(_:)`.
    ///
    /// Through securityd, waits for the rotation that ``beginKeyRotation()`` has begun.
    package static func resumeKeyRotation(
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RotationSummary {
        if let address = try daemonInUse() {
            return try DaemonMaintenance(at: address).awaitKeyRotation(progress)
        }
        return try withStore { keychain throws(StatusError) in try keychain.resumeKeyRotation(progress) }
    }

    /// Copies the valid rows of a damaged store into a new one; see `EmbeddedKeychain.repair`.
    package static func repairStore(
        dryRun: Bool,
        named suffix: String,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RepairSummary {
        if let address = try daemonInUse() {
            return try DaemonMaintenance(at: address).repair(dryRun: dryRun)
        }
        let directory = try storeDirectory()
        defer { if !dryRun { discardStoreOfProcess() } }
        return try EmbeddedKeychain.repair(
            at: embeddedLocation(directory),
            dryRun: dryRun,
            named: suffix,
            progress
        )
    }
}
