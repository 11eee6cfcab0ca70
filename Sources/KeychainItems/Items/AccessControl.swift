// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The authentication that is required to read an item.
public struct AccessControl: Hashable, Sendable {
    /// An authentication method that the access control requires.
    public enum Constraint: Hashable, Sendable, CaseIterable {
        /// The passcode or an enrolled finger.
        case userPresence
        /// Any enrolled finger.
        case biometryAny
        /// An enrolled finger, while the same fingers are enrolled as when the item was added.
        case biometryCurrentSet
        /// The passcode.
        case devicePasscode
    }

    /// How multiple constraints are combined.
    public enum Combination: Hashable, Sendable {
        /// All constraints must be satisfied.
        case all
        /// One constraint must be satisfied.
        case any
    }

    /// When the item is readable.
    public var accessibility: ItemAccessibility
    /// The authentication methods that the item requires.
    public var constraints: Set<Constraint>
    /// How multiple constraints are combined.
    public var combination: Combination
    /// Whether the item also requires an application password, which the program sets.
    ///
    /// See ``AuthenticationSession/setApplicationPassword(_:)``.
    public var needsApplicationPassword: Bool

    /// Creates an access control.
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

    /// Converts the access control of an item; `nil` if the item was stored without one.
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
