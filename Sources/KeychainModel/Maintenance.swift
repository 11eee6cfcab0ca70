// SPDX-License-Identifier: Apache-2.0

/// The result of checking every row of a store.
package struct StoreVerification: Sendable {
    /// A row that cannot be opened although its key is available.
    package struct Damage: Hashable, Sendable {
        package let row: Int64
        /// The class; `nil` if it cannot be read.
        package let itemClass: ItemClass?
        /// The name of the access group; `nil` if no intact row has it.
        package let group: String?
        package let problem: Problem

        package init(row: Int64, itemClass: ItemClass?, group: String?, problem: Problem) {
            (self.row, self.itemClass, self.group, self.problem) = (row, itemClass, group, problem)
        }
    }

    /// The damage of a row or of the store.
    package enum Problem: String, CaseIterable, Sendable {
        /// The row was changed or is damaged.
        case record
        /// The row's digests are not those of its attributes.
        case digests
        /// The index does not lead to the row.
        case index
        /// SQLite reports a damaged database.
        case database
        /// Rows were added, removed or rolled back by another program.
        case rows
        /// The counts in the header are wrong.
        case counts
        /// The header is damaged.
        case header
    }

    /// The rows that were opened completely.
    package var intact = 0
    /// The rows whose class key is locked.
    package var locked = 0
    /// The rows that need the user or an application password.
    package var constrained = 0
    /// The deleted synchronizable items among the intact rows.
    package var tombstones = 0
    package var damages: [Damage] = []
    /// The problems of the store as a whole.
    package var problems: [Problem] = []

    package init() {}

    package var isIntact: Bool { damages.isEmpty && problems.isEmpty }

    /// The number of rows that were found.
    package var rowCount: Int { intact + locked + constrained + damages.count }
}

/// What a backup contains and leaves out.
package struct BackupSummary: Hashable, Sendable {
    package var items: UInt64 = 0
    /// The number of items whose class never leaves the device.
    package var thisDeviceOnly: UInt64 = 0
    /// The number of items with an access control, which only the user or a password opens.
    package var constrained: UInt64 = 0

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
    /// What the backup says it contains and leaves out.
    package var backup = BackupSummary()

    package init() {}
}

/// The result of repairing a store.
package struct RepairSummary: Sendable {
    package let verification: StoreVerification
    /// The rows in the new store.
    package let salvaged: Int
    /// The directory that has the damaged store; `nil` if nothing was changed.
    package let copy: String?

    package init(verification: StoreVerification, salvaged: Int, copy: String?) {
        (self.verification, self.salvaged, self.copy) = (verification, salvaged, copy)
    }
}

/// Reports the progress of a long operation: the completed and the total number of items.
///
/// Returns whether to continue.
package typealias MaintenanceProgress = (_ completed: Int, _ total: Int) -> Bool
