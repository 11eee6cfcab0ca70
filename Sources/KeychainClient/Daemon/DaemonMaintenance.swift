// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainStore

/// Backs up, restores, verifies and repairs the store that `securityd` serves, and rotates its keys.
///
/// This program claims every access group. The user service, which is no boundary between programs, grants the claim.
/// The system service gives this program only its own groups: a backup or a restore then leaves out the items of other
/// programs, and reports their number.
struct DaemonMaintenance {
    private let daemon: DaemonKeychain
    private let caller: Caller
    /// The access group of this program in an embedded store; the system service gives it another name.
    private let embeddedGroup: String?

    init(at address: DaemonAddress) throws(StatusError) {
        let own = try Entitlements.callerOfThisProcess()
        let claim = Caller(
            applicationIdentifier: own.applicationIdentifier,
            accessGroups: own.accessGroups + [Caller.everyGroup]
        )
        daemon = DaemonKeychain(at: address, claim: claim)
        let identity = try daemon.identity().identity
        caller = Caller(applicationIdentifier: identity.identifier, accessGroups: identity.accessGroups)
        embeddedGroup = own.writableGroups.first
    }

    func verify() throws(StatusError) -> StoreVerification { try daemon.verification() }

    // MARK: Rotation of keys and repair

    func isRotatingKeys() throws(StatusError) -> Bool { try daemon.rotationStatus().isRotating }

    func beginKeyRotation() throws(StatusError) { try daemon.beginKeyRotation() }

    func beginKeyRotation(with passcode: borrowing SecretBytes) throws(StatusError) {
        try daemon.beginKeyRotation(with: passcode)
    }

    /// Waits until the daemon has encrypted every undamaged row under the new keys.
    ///
    /// If `progress` returns `false`, this call throws `userCanceled`, and the daemon continues.
    func awaitKeyRotation(_ progress: MaintenanceProgress) throws(StatusError) -> RotationSummary {
        while true {
            let status = try daemon.rotationStatus()
            if let failure = status.failure { throw failure }
            guard progress(status.completed, status.total) else {
                throw StatusError(.userCanceled, .changesCanceled)
            }
            guard !status.isRunning else {
                usleep(Self.pollMicroseconds)
                continue
            }
            guard status.isRotating, status.summary.damaged == 0 else {
                var summary = status.summary
                summary.isComplete = !status.isRotating
                return summary
            }
            // The daemon was restarted, and has not continued the rotation yet.
            try daemon.beginKeyRotation()
        }
    }

    private static let pollMicroseconds: UInt32 = 20_000

    func repair(dryRun: Bool) throws(StatusError) -> RepairSummary { try daemon.repair(dryRun: dryRun) }

    private func perform(_ request: Request) throws(StatusError) -> Response {
        try daemon.perform(request, for: caller, with: .none)
    }

    private func itemCount() throws(StatusError) -> Int {
        guard case .status(let status) = try perform(.status) else { return 0 }
        return Int(clamping: status.itemCount)
    }

    // MARK: Backup

    /// Reads the items one after another, and writes them to a backup.
    ///
    /// The backup is not a snapshot: other programs may change items during the backup.
    func backUp(
        under passphrase: borrowing SecretBytes,
        _ progress: MaintenanceProgress,
        to write: ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) -> BackupSummary {
        let total = try itemCount()
        let own =
            caller.reachesEveryGroup ? total : Int(clamping: try daemon.itemCount(in: caller.accessGroups))
        return try withoutActuallyEscaping(write) { write throws(StatusError) in
            var backup = try ItemBackup(under: passphrase, to: write)
            defer { backup.wipe() }
            var completed = 0
            try ItemScan(perform: perform).forEach { result throws(StatusError) in
                guard progress(completed, max(own, completed)) else {
                    throw StatusError(.userCanceled, .changesCanceled)
                }
                completed += 1
                switch result {
                case .item(let item): try backup.add(item)
                case .tokenKey: backup.addThisDeviceOnly()
                }
            }
            guard progress(completed, completed) else { throw StatusError(.userCanceled, .changesCanceled) }
            // The scan leaves out the items whose access control is not satisfied.
            backup.addConstrained(UInt64(max(0, own - completed)))
            var summary = try backup.finish()
            summary.ofOtherPrograms = UInt64(max(0, total - own))
            return summary
        }
    }

    // MARK: Restore

    private static let batchCount = 64
    private static let batchBytes = 4 << 20

    /// Adds the items of a backup, after the whole file was authenticated and compared with the store.
    ///
    /// Each batch is one transaction. If this process ends between two batches, a second restore that skips existing
    /// items adds the rest.
    func restore(
        _ backup: BackupReader,
        conflicts: RestoreConflict,
        dryRun: Bool,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RestoreSummary {
        var (reader, summary) = (backup, RestoreSummary())
        let (items, inFile) = try reader.additions(progress)
        summary.backup = inFile
        var changes: [(requests: [Request], size: Int)] = []
        for item in items {
            guard let item = own(item) else {
                summary.ofOtherPrograms += 1
                continue
            }
            guard let requests = try requests(for: item, conflicts, &summary) else { continue }
            changes.append((requests, item.secret?.count ?? 0))
        }
        if !dryRun { try apply(changes, progress) }
        guard progress(items.count, items.count) else { throw StatusError(.userCanceled, .changesCanceled) }
        return summary
    }

    /// Returns the item in the access group that the daemon gives this program; `nil` for another program's item.
    private func own(_ item: NewItem) -> NewItem? {
        guard !caller.reachesEveryGroup, case .string(let group)? = item.attributes[.accessGroup] else {
            return item
        }
        if caller.writableGroups.contains(group) { return item }
        guard group == embeddedGroup, let new = caller.writableGroups.first else { return nil }
        var item = item
        item.attributes[.accessGroup] = .string(new)
        return item
    }

    /// Returns the changes that restore an item; `nil` if an existing item is kept instead.
    ///
    /// - Throws: For example, `duplicateItem` if the item exists and `conflicts` is `fail`.
    private func requests(
        for item: NewItem,
        _ conflicts: RestoreConflict,
        _ summary: inout RestoreSummary
    ) throws(StatusError) -> [Request]? {
        guard let existing = try reference(of: item) else {
            summary.added += 1
            return [.add(item)]
        }
        switch conflicts {
        case .fail: throw StatusError(.duplicateItem)
        case .skip:
            summary.skipped += 1
            return nil
        case .replace:
            summary.replaced += 1
            let filter = ItemFilter(itemClass: item.itemClass, reference: existing)
            return [.delete(DeleteRequest(filter: filter)), .add(item)]
        }
    }

    /// Returns the reference of the stored item with the same primary key; `nil` if no such item is stored.
    private func reference(of item: NewItem) throws(StatusError) -> PersistentReference? {
        var filter = ItemFilter(itemClass: item.itemClass)
        filter.synchronizable = .exactly(item.attributes[.synchronizable] == .number(1))
        for rule in ItemSchema.of(item.itemClass).unique where rule.attribute != .synchronizable {
            filter.attributes[rule.attribute] = item.attributes[rule.attribute] ?? rule.initial
        }
        do throws(StatusError) {
            let search = CopyRequest(filter: filter, limit: .one, returning: .persistentReference)
            guard case .items(let found) = try perform(.copy(search)) else { return nil }
            return found.first?.reference
        } catch {
            guard [.itemNotFound, .noSuchKeychain].contains(error.status) else { throw error }
            return nil
        }
    }

    private func apply(
        _ changes: [(requests: [Request], size: Int)],
        _ progress: MaintenanceProgress
    ) throws(StatusError) {
        var rest = changes[...]
        while !rest.isEmpty {
            guard progress(changes.count - rest.count, changes.count) else {
                throw StatusError(.userCanceled, .changesCanceled)
            }
            var (batch, bytes) = ([] as [Request], 0)
            while let next = rest.first,
                batch.isEmpty || batch.count < Self.batchCount && bytes + next.size <= Self.batchBytes
            {
                batch += next.requests
                bytes += next.size
                rest.removeFirst()
            }
            try daemon.perform(together: batch, with: .none, skip: nil, progress: { _ in true }) { _ in }
        }
    }
}
