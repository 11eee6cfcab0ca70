// SPDX-License-Identifier: Apache-2.0

/// The result of checking every row of a store.
package struct StoreVerification: Sendable {
    package struct Damage: Hashable, Sendable {
        package let row: Int64
        /// The class; `nil` if it cannot be read.
        package let itemClass: ItemClass?
        /// The name of the access group, known from another row of the group that can be decrypted.
        ///
        /// It is `nil` if there is no such row, if the damaged row cannot be read, or if securityd hides the group from
        /// a caller that is not a member of it.
        package var group: String?
        package let problem: Problem

        package init(row: Int64, itemClass: ItemClass?, group: String?, problem: Problem) {
            (self.row, self.itemClass, self.group, self.problem) = (row, itemClass, group, problem)
        }
    }

    /// The damage of a row or of the store.
    package enum Problem: String, CaseIterable, Sendable {
        /// The row cannot be read, its encrypted contents fail authentication, or another row has the same primary key.
        case record
        /// The digests in the row, by which queries find it, do not match its decrypted attributes.
        case digests
        /// An index of the database does not find a row.
        case index
        /// SQLite reports a damaged database.
        case database
        /// Rows were added, removed or rolled back without updating the store's header.
        ///
        /// This is checked only if no row is damaged.
        case rows
        /// The store's header is wrong about the rows; checked only if no row is damaged.
        ///
        /// Its numbers of items or tombstones are wrong, or it says that no primary key has an optional part (a sync
        /// view hint, a token or a sharing group), although one has.
        case counts
        case header
    }

    /// The number of rows that were decrypted completely.
    package var intact = 0
    /// The number of rows whose protection class is locked.
    package var locked = 0
    /// The number of rows that were not decrypted because of their access control.
    package var constrained = 0
    /// The number of tombstones among the intact rows.
    package var tombstones = 0
    package var damages: [Damage] = []
    /// The problems of the store as a whole.
    package var problems: [Problem] = []

    package init() {}

    package var isIntact: Bool { damages.isEmpty && problems.isEmpty }

    /// The number of rows that were found, readable or not.
    package var rowCount: Int { intact + locked + constrained + damages.count }
}

/// The numbers of items that a backup contains and omits.
package struct BackupSummary: Hashable, Sendable {
    package var items: UInt64 = 0
    /// The number of omitted items that must not leave the device.
    ///
    /// Their protection class forbids it, or securityd keeps their private key.
    package var thisDeviceOnly: UInt64 = 0
    /// The number of omitted items that may leave the device, but whose access control is not satisfied.
    package var constrained: UInt64 = 0
    /// The number of items of other programs, which securityd does not give to this program.
    ///
    /// It is 0 for the embedded store, and not part of the backup file.
    package var ofOtherPrograms: UInt64 = 0

    package init() {}
}

/// How a restore handles an existing item.
package enum RestoreConflict: String, CaseIterable, Sendable {
    case skip, replace, fail
}

/// The result of restoring a backup, or of a dry run.
package struct RestoreSummary: Hashable, Sendable {
    package var added = 0
    package var replaced = 0
    package var skipped = 0
    /// The number of items of other programs, which this program cannot add through securityd.
    package var ofOtherPrograms = 0
    /// The summary at the end of the backup.
    package var backup = BackupSummary()

    package init() {}
}

package struct RepairSummary: Sendable {
    package var verification: StoreVerification
    /// The number of valid rows, which a repair copies to the new store.
    package let salvaged: Int
    /// The directory to which the damaged store was moved; `nil` if nothing was changed.
    package let copy: String?
    /// Whether the damaged store was synchronized with other devices, which the new store is not.
    package let endedSynchronization: Bool

    package init(
        verification: StoreVerification,
        salvaged: Int,
        copy: String?,
        endedSynchronization: Bool
    ) {
        (self.verification, self.salvaged, self.copy) = (verification, salvaged, copy)
        self.endedSynchronization = endedSynchronization
    }
}

package struct RotationSummary: Hashable, Sendable {
    /// The number of rows that were encrypted under the new class keys.
    package var rotated = 0
    /// The number of damaged rows, which stay as they are.
    package var damaged = 0
    /// Whether all former class keys have been removed.
    package var isComplete = false

    package init() {}
}

/// The state of a rotation of the class keys that securityd performs in the background.
package struct RotationStatus: Hashable, Sendable {
    /// Whether former class keys are still in use.
    package var isRotating = false
    /// Whether securityd is encrypting rows.
    package var isRunning = false
    /// The number of rows that the last run has encrypted so far, and the number of rows that it has to encrypt.
    package var completed = 0
    package var total = 0
    /// The result of the last run, after it has ended without a failure.
    package var summary = RotationSummary()
    /// Why the last run ended early; `nil` if it did not.
    package var failure: StatusError?

    package init() {}
}

/// Receives the completed and the total number of items; returns whether to continue.
///
/// During a restore, the total is 0 until the end of the backup, because it is not known before.
package typealias MaintenanceProgress = (_ completed: Int, _ total: Int) -> Bool
