// SPDX-License-Identifier: Apache-2.0

/// An item's protection class and the constraints on reading it.
package struct AccessControl: Hashable, Sendable {
    package let protection: ProtectionClass
    /// The bits of `SecAccessControlCreateFlags`.
    package let flags: UInt64
    /// Created by `SecAccessControlCreateWithFlags`.
    ///
    /// Such an object never equals a bare protection class.
    package let isExplicit: Bool

    /// An access control with a protection class and no constraints.
    package init(protection: ProtectionClass) {
        self.protection = protection
        flags = 0
        isExplicit = false
    }

    /// An access control created with flags.
    package init(protection: ProtectionClass, flags: UInt64) {
        self.protection = protection
        self.flags = flags
        isExplicit = true
    }
}

/// The bits of `SecAccessControlCreateFlags`.
package enum ConstraintBit {
    package static let userPresence: UInt64 = 1 << 0
    package static let biometryAny: UInt64 = 1 << 1
    package static let biometryCurrentSet: UInt64 = 1 << 3
    package static let devicePasscode: UInt64 = 1 << 4
    package static let companion: UInt64 = 1 << 5
    package static let or: UInt64 = 1 << 14
    package static let and: UInt64 = 1 << 15
    package static let privateKeyUsage: UInt64 = 1 << 30
    package static let applicationPassword: UInt64 = 1 << 31

    /// The constraints that the user satisfies; any one of the listed proofs suffices.
    fileprivate static let userConstraints: [(bit: UInt64, proofs: UserProofs)] = [
        (userPresence, [.passcode, .finger]), (biometryAny, .finger), (biometryCurrentSet, .fingerOfSet),
        (devicePasscode, .passcode), (companion, []),
    ]
}

/// What the user has proved or could prove.
package struct UserProofs: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passcode = Self(rawValue: 1)
    package static let finger = Self(rawValue: 2)
    /// A finger that was enrolled when the item was added.
    package static let fingerOfSet = Self(rawValue: 4)
    package static let everyFinger: Self = [.finger, .fingerOfSet]
}

extension AccessControl {
    /// Whether the user must authenticate.
    ///
    /// `privateKeyUsage` counts as reading the item, because no secure element uses the key.
    package var needsUserAuthentication: Bool {
        ConstraintBit.userConstraints.contains { flags & $0.bit != 0 }
    }

    package var needsApplicationPassword: Bool { flags & ConstraintBit.applicationPassword != 0 }

    /// Whether opening the item demands the user or an application password.
    package var demandsCredential: Bool { needsUserAuthentication || needsApplicationPassword }

    /// Whether the flags can be combined.
    package var isConsistent: Bool {
        let exclusive = [
            ConstraintBit.or | ConstraintBit.and,
            ConstraintBit.biometryAny | ConstraintBit.biometryCurrentSet,
        ]
        if exclusive.contains(where: { flags & $0 == $0 }) { return false }
        let besidePresence =
            ConstraintBit.userPresence | ConstraintBit.applicationPassword | ConstraintBit.privateKeyUsage
        return flags & ConstraintBit.userPresence == 0 || flags & ~besidePresence == 0
    }

    /// Whether this build can satisfy the constraints, with or without fingerprint support.
    package func canBeSatisfied(withFingerprints isBuiltIn: Bool) -> Bool {
        !needsUserAuthentication || isSatisfied(by: isBuiltIn ? [.passcode, .everyFinger] : .passcode)
    }

    /// Whether the item becomes inaccessible when the enrolled fingers change.
    package var isBoundToEnrolledSet: Bool { flags & ConstraintBit.biometryCurrentSet != 0 }

    /// Whether the proofs satisfy the constraints: all of them, or one with the `or` flag.
    package func isSatisfied(by proofs: UserProofs) -> Bool {
        let constraints = ConstraintBit.userConstraints.filter { flags & $0.bit != 0 }
        return flags & ConstraintBit.or == 0
            ? constraints.allSatisfy { !$0.proofs.isDisjoint(with: proofs) }
            : constraints.contains { !$0.proofs.isDisjoint(with: proofs) }
    }

    /// Whether a new item can be opened with a finger alone.
    ///
    /// Its flags must allow a finger, and either a finger is enrolled or the passcode would not satisfy them.
    /// Such an item is sealed under its class key only, because a fingerprint yields no key.
    package func isOpenedByFinger(whereEnrolled hasFingers: Bool) -> Bool {
        isSatisfied(by: .everyFinger) && (hasFingers || !isSatisfied(by: .passcode))
    }

    /// The error that carries the constraints to the layer that authenticates the user.
    ///
    /// API callers never see it. Its code is the flags, which fit in the lower 32 bits.
    package var authenticationNeeded: StatusError { needed(.authenticationNeeded) }

    /// The same error for an item that a finger opens.
    package var fingerNeeded: StatusError { needed(.fingerSuffices) }

    private func needed(_ reason: Reason) -> StatusError {
        StatusError(
            .authenticationNeeded,
            reason,
            attribute: .accessControl,
            code: Int32(truncatingIfNeeded: flags)
        )
    }
}

extension StatusError {
    /// The constraints to satisfy; `nil` for other errors.
    package var unsatisfiedFlags: UInt64? {
        guard status == .authenticationNeeded, let code else { return nil }
        return UInt64(UInt32(bitPattern: code))
    }
}
