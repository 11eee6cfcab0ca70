// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The position of a version in the total order of the versions of one item.
///
/// The version with the greater position wins on every device, whatever the device's own clock or lock state is.
package struct RecordOrder: Hashable, Comparable, Sendable {
    package let clock: HybridClock
    package let kind: RecordKind
    package let device: Bytes16
    package let digest: Bytes32

    package init(clock: HybridClock, kind: RecordKind, device: Bytes16, digest: Bytes32) {
        self.clock = clock
        self.kind = kind
        self.device = device
        self.digest = digest
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.clock != right.clock { return left.clock < right.clock }
        // An item wins over a tombstone.
        if left.kind != right.kind { return left.kind == .tombstone }
        if left.device != right.device {
            return left.device.bytes.lexicographicallyPrecedes(right.device.bytes)
        }
        return left.digest.bytes.lexicographicallyPrecedes(right.digest.bytes)
    }
}

package enum RecordKind: UInt8, Sendable {
    case item = 0
    case tombstone = 1
}

/// What a device does with a record of another device.
package enum MergeDecision: Hashable, Sendable {
    /// Mark the local version as equal to the record; write nothing.
    case adopt
    /// Write the record, which replaces the local version.
    case apply
    /// Write the record, and keep the local version as a conflict.
    case applyKeepingLocal
    /// Push the local version over the record.
    case keepLocal
    /// Push the local version over the record, and keep the record as a conflict.
    case keepLocalKeepingRemote

    /// Decides between a record from another device and the local version of the same item.
    ///
    /// - Parameters:
    ///   - remote: The position of the record.
    ///   - local: The position of the local version.
    ///   - isDirty: Whether the local version has changes that were not pushed.
    ///   - isConcurrent: Whether the author of the record had not seen the local version.
    ///   - isEqual: Whether the two versions differ only in dates.
    package init(
        remote: RecordOrder,
        local: RecordOrder,
        isDirty: Bool,
        isConcurrent: Bool,
        isEqual: Bool
    ) {
        let keepsLoser = (isDirty || isConcurrent) && !isEqual
        if isEqual, local.clock == remote.clock, local.kind == remote.kind {
            // Two devices have sent the same version, such as after `security sync rebuild`, which makes every device
            // send its items again.
            self = .adopt
        } else if local < remote {
            self = keepsLoser ? .applyKeepingLocal : .apply
        } else {
            self = keepsLoser ? .keepLocalKeepingRemote : .keepLocal
        }
    }
}
