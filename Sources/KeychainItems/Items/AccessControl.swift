// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// What has to be proved before an item can be read.
public struct AccessControl: Hashable, Sendable {
    /// Something that the user proves.
    public enum Constraint: Hashable, Sendable, CaseIterable {
        /// The passcode or a finger.
        case userPresence
        /// Any enrolled finger.
        case biometryAny
        /// A finger of those that were enrolled when the item was made.
        case biometryCurrentSet
        /// The passcode.
        case devicePasscode
    }

    /// How several constraints are combined.
    public enum Combination: Hashable, Sendable {
        /// All must be satisfied.
        case all
        /// One is enough.
        case any
    }

    /// When the item can be read at all.
    public var accessibility: ItemAccessibility
    /// What the user proves.
    public var constraints: Set<Constraint>
    /// How several constraints are combined.
    public var combination: Combination
    /// Whether the program supplies a password of its own; see ``AuthenticationSession``.
    public var needsApplicationPassword: Bool

    /// Makes an access control.
    public init(
        _ accessibility: ItemAccessibility,
        _ constraints: Set<Constraint> = [.userPresence],
        combinedBy combination: Combination = .all,
        applicationPassword: Bool = false
    ) {
        self.accessibility = accessibility
        self.constraints = constraints
        self.combination = combination
        needsApplicationPassword = applicationPassword
    }
}

extension AccessControl {
    private static let bits: [(constraint: Constraint, bit: UInt64)] = [
        (.userPresence, ConstraintBit.userPresence), (.biometryAny, ConstraintBit.biometryAny),
        (.biometryCurrentSet, ConstraintBit.biometryCurrentSet),
        (.devicePasscode, ConstraintBit.devicePasscode),
    ]

    /// Reads the access control of an item; `nil` for a bare accessibility.
    init?(_ control: KeychainModel.AccessControl) {
        guard control.isExplicit else { return nil }
        let flags = control.flags
        self.init(
            ItemAccessibility(control.protection),
            Set(Self.bits.filter { flags & $0.bit != 0 }.map(\.constraint)),
            combinedBy: flags & ConstraintBit.or != 0 ? .any : .all,
            applicationPassword: control.needsApplicationPassword
        )
    }

    var control: KeychainModel.AccessControl {
        var flags = Self.bits.filter { constraints.contains($0.constraint) }.reduce(0) { $0 | $1.bit }
        if constraints.count > 1 {
            flags |= combination == .any ? ConstraintBit.or : ConstraintBit.and
        }
        if needsApplicationPassword { flags |= ConstraintBit.applicationPassword }
        return KeychainModel.AccessControl(protection: accessibility.protection, flags: flags)
    }
}
