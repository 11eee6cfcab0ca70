// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
import KeychainStore

/// Moves the items of an embedded store into the daemon's store of the same user.
///
/// Each batch of items is one transaction in the daemon. After an interruption, the migration is repeated from the
/// start: the daemon compares the items that it already has, and adds the missing ones. If every item was moved, the
/// directory of the embedded store is renamed at the end.
package struct StoreMigration: Sendable {
    private let source: EmbeddedKeychain
    private let daemon: DaemonKeychain
    /// The new names of access groups, by their old names.
    private let groups: [String: String]
    private let isDryRun: Bool
    /// Whether the daemon's store has a passcode; `false` in a dry run.
    private let isServedWithPasscode: Bool

    /// How many times to try, because another program may change the store during an attempt.
    private static let attempts = 5

    /// Opens the embedded store in a directory, and connects to the daemon.
    ///
    /// By default, the environment selects the directory.
    ///
    /// - Throws: For example, `noSuchKeychain` with `storeMissing`; `notAvailable` with `daemonUnreachable`;
    ///   `duplicateKeychain` with `storeExists` if the daemon serves the files of this store.
    package init(
        from directory: String?,
        groups: [String: String],
        isDryRun: Bool
    ) throws(StatusError) {
        source = try SystemKeychain.embeddedStore(at: directory)
        daemon = try SystemKeychain.runningDaemon()
        self.isDryRun = isDryRun
        // In the embedded store, the items of this program are in a group that has another name in the daemon.
        var names = groups
        let own = try Entitlements.callerOfThisProcess().writableGroups.first
        if let own, names[own] == nil, let new = try daemon.identity().identity.accessGroups.first, new != own
        {
            names[own] = new
        }
        self.groups = names
        let served = try? daemon.perform(.status, for: MigrationItems.caller, with: .none)
        guard case .status(let status)? = served else {
            isServedWithPasscode = false
            return
        }
        isServedWithPasscode = status.passcodeIsSet && !isDryRun
        guard try status.store != source.status().store else {
            throw StatusError(.duplicateKeychain, .storeExists)
        }
    }

    /// The directory of the embedded store.
    package var directory: String { source.location.directory }

    /// Whether ``run(with:_:)`` needs the passcode.
    package var needsPasscode: Bool {
        get throws(StatusError) {
            let isSet = try source.status().passcodeIsSet
            return isSet || isServedWithPasscode
        }
    }

    /// Moves the items into the daemon's store.
    ///
    /// `passcode` is empty if neither store has one. If the daemon creates a new store, the store gets this passcode.
    /// `progress` receives the number of completed items and the number of all items; if it returns `false`, the
    /// migration ends with `userCanceled`.
    ///
    /// - Throws: For example, the errors of a wrong passcode; `authenticationFailed` with `migrationRefused` if the
    ///   daemon's store has items and no passcode; `notAvailable` with `writerBusy` if other programs keep changing the
    ///   store.
    package func run(
        with passcode: borrowing SecretBytes,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> MigrationReport {
        var credential = Credential.none
        if passcode.count > 0, try source.status().passcodeIsSet {
            credential = Credential(accessControlKey: try source.authenticate(with: passcode))
            do throws(StatusError) {
                try source.unlock(with: passcode)
            } catch {
                // Without a key cache, the store is unlocked for this process only, which suffices.
                guard error.reason == .keyCacheUnavailable else { throw error }
            }
        }
        if !isDryRun { try daemon.beginMigration(passcode) }
        for _ in 0..<Self.attempts {
            let before = try source.status()
            var report = MigrationReport(directory: directory)
            let items = MigrationItems(source, credential, groups)
            let total = Int(clamping: before.itemCount)
            try items.forEachBatch(&report) { batch, report throws(StatusError) in
                try move(batch, &report)
                guard progress(report.count, total) else {
                    throw StatusError(.userCanceled, .changesCanceled)
                }
            }
            report.omitted = max(total - report.count, 0)
            if isDryRun || !report.isComplete { return report }
            if try renameSource(&report, since: before.generation) { return report }
        }
        throw StatusError(.notAvailable, .writerBusy)
    }

    /// Adds a batch to the daemon's store, and compares the stored items with the batch; a dry run only counts items.
    private func move(_ batch: [NewItem], _ report: inout MigrationReport) throws(StatusError) {
        var conflicts: Set<Int> = []
        if !isDryRun {
            conflicts = Set(try daemon.migrate(batch, verifies: false))
            conflicts.formUnion(try daemon.migrate(batch, verifies: true))
        }
        for (index, item) in batch.enumerated() {
            report.add(item.attributes[.accessGroup], isConflict: conflicts.contains(index))
        }
    }

    /// Renames the directory of the embedded store; returns `false` if the store has changed since `generation`.
    private func renameSource(
        _ report: inout MigrationReport,
        since generation: UInt64
    ) throws(StatusError) -> Bool {
        var (target, number) = (directory + ".migrated", 1)
        while unsafe access(target, F_OK) == 0 {
            number += 1
            target = "\(directory).migrated-\(number)"
        }
        guard try source.move(to: target, ifUnchangedSince: generation) else { return false }
        try daemon.endMigration()
        report.directory = target
        report.isRenamed = true
        return true
    }
}

/// The result of a migration: the numbers of items in each access group of the daemon's store.
package struct MigrationReport: Sendable {
    package struct Group: Sendable {
        package var moved = 0
        /// The number of items that the daemon's store contains with other contents.
        ///
        /// Items with an access control are not compared.
        package var conflicts = 0
    }

    package fileprivate(set) var groups: [String: Group] = [:]
    /// The number of items that cannot be moved.
    ///
    /// Their access control requires more than the passcode, or they belong to keys that a daemon has generated.
    package fileprivate(set) var omitted = 0
    /// The directory of the embedded store, with its new name if it was renamed.
    package fileprivate(set) var directory: String
    package fileprivate(set) var isRenamed = false

    fileprivate init(directory: String) { self.directory = directory }

    fileprivate mutating func add(_ group: AttributeValue?, isConflict: Bool) {
        guard case .string(let name)? = group else { return }
        if isConflict {
            groups[name, default: Group()].conflicts += 1
        } else {
            groups[name, default: Group()].moved += 1
        }
    }

    /// The number of items that were moved or that conflict with an item of the daemon's store.
    package var count: Int { groups.values.reduce(0) { $0 + $1.moved + $1.conflicts } }

    package var moved: Int { groups.values.reduce(0) { $0 + $1.moved } }

    package var conflicts: Int { groups.values.reduce(0) { $0 + $1.conflicts } }

    /// Whether every item was moved.
    package var isComplete: Bool { omitted == 0 && conflicts == 0 }
}

/// The items of an embedded store, in batches that fit into messages.
private struct MigrationItems {
    private let source: EmbeddedKeychain
    private let credential: Credential
    private let groups: [String: String]

    static let caller = Caller(
        applicationIdentifier: "keychain.migration",
        accessGroups: [Caller.everyGroup]
    )
    private static let batchCount = 64
    private static let batchBytes = 4 << 20

    init(_ source: EmbeddedKeychain, _ credential: Credential, _ groups: [String: String]) {
        self.source = source
        self.credential = credential
        self.groups = groups
    }

    func forEachBatch(
        _ report: inout MigrationReport,
        _ body: ([NewItem], inout MigrationReport) throws(StatusError) -> Void
    ) throws(StatusError) {
        var (batch, bytes) = ([] as [NewItem], 0)
        let scan = ItemScan { request throws(StatusError) in
            try source.perform(request, for: Self.caller, with: credential)
        }
        try scan.forEach { result throws(StatusError) in
            guard case .item(let found) = result else { return }
            let item = item(found)
            let size = item.secret?.bytes.count ?? 0
            if batch.count == Self.batchCount || bytes + size > Self.batchBytes, !batch.isEmpty {
                try body(batch, &report)
                (batch, bytes) = ([], 0)
            }
            batch.append(item)
            bytes += size
        }
        if !batch.isEmpty { try body(batch, &report) }
    }

    /// Returns an item as the daemon adds it.
    private func item(_ found: FoundItem) -> NewItem {
        var attributes = Attributes()
        let schema = ItemSchema.of(found.reference.itemClass)
        for entry in found.attributes.entries {
            let traits = schema[entry.attribute]?.traits ?? []
            if !traits.contains(.computed) { attributes[entry.attribute] = entry.value }
        }
        if case .string(let group)? = attributes[.accessGroup], let new = groups[group] {
            attributes[.accessGroup] = .string(new)
        }
        let isConstrained = found.accessControl.isConstrained
        // The access control contains the protection class, so leave out the attribute.
        if isConstrained { attributes[.accessible] = nil }
        return NewItem(
            itemClass: found.reference.itemClass,
            attributes: attributes,
            secret: found.secret,
            accessControl: isConstrained ? found.accessControl : nil
        )
    }
}
