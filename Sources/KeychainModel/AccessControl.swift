// SPDX-License-Identifier: Apache-2.0

/// An item's protection class and the constraints on reading it.
package struct AccessControl: Hashable, Sendable {
    package let protection: ProtectionClass
    /// The bits of `SecAccessControlCreateFlags`, and the minimum caller level in bits 40 to 42.
    package let flags: UInt64
    /// Whether the caller created this access control with flags, as `SecAccessControlCreateWithFlags` does.
    ///
    /// Even if it has no flags, such an access control never equals one that was made from a protection class alone.
    package let isExplicit: Bool

    package init(protection: ProtectionClass) {
        self.protection = protection
        flags = 0
        isExplicit = false
    }

    package init(protection: ProtectionClass, flags: UInt64) {
        self.protection = protection
        self.flags = flags
        isExplicit = true
    }
}

/// The bits of an access control: those of `SecAccessControlCreateFlags`, and the minimum caller level.
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
    /// The lowest of the three bits for the minimum caller level; Apple defines no bits above 31.
    fileprivate static let minimumLevelShift: UInt64 = 40

    /// Returns the flags for an item that only callers of at least this level may use.
    package static func minimumLevel(_ level: CallerLevel) -> UInt64 {
        UInt64(level.rawValue) << minimumLevelShift
    }

    /// The constraints on the user, each with the proofs that satisfy it; one of its proofs suffices.
    ///
    /// Nothing satisfies `companion`, because this library supports no companion device such as a watch.
    fileprivate static let userConstraints: [(bit: UInt64, proofs: UserProofs)] = [
        (userPresence, [.passcode, .finger]), (biometryAny, .finger), (biometryCurrentSet, .fingerOfSet),
        (devicePasscode, .passcode), (companion, []),
    ]
}

/// A set of proofs with which the user authenticates: the passcode, an enrolled finger, or both.
package struct UserProofs: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passcode = Self(rawValue: 1)
    package static let finger = Self(rawValue: 2)
    /// A finger of the set that was enrolled when the item was added.
    package static let fingerOfSet = Self(rawValue: 4)
    package static let everyFinger: Self = [.finger, .fingerOfSet]
}

extension AccessControl {
    /// Whether the user must authenticate before the item is read.
    ///
    /// The flag `privateKeyUsage` changes nothing: using a private key reads its item, so the same constraints apply.
    package var needsUserAuthentication: Bool {
        ConstraintBit.userConstraints.contains { flags & $0.bit != 0 }
    }

    package var needsApplicationPassword: Bool { flags & ConstraintBit.applicationPassword != 0 }

    package var requiresCredential: Bool { needsUserAuthentication || needsApplicationPassword }

    /// The lowest level at which a caller may use the item.
    ///
    /// A level that this version does not know counts as the highest level.
    package var minimumLevel: CallerLevel {
        CallerLevel(rawValue: UInt8(flags >> ConstraintBit.minimumLevelShift & 7)) ?? .group
    }

    /// The access control with its minimum level, but without its other constraints.
    package var onlyMinimumLevel: Self {
        guard minimumLevel > .embedded else { return Self(protection: protection) }
        return Self(protection: protection, flags: ConstraintBit.minimumLevel(minimumLevel))
    }

    /// Whether the item's access control has a constraint: a credential, or a minimum level of the caller.
    package var isConstrained: Bool { requiresCredential || minimumLevel > .embedded }

    /// Whether the flags are a combination that Apple's API allows.
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

    /// Whether a build with or without fingerprint support can satisfy the constraints on the user.
    package func canBeSatisfied(withFingerprints isBuiltIn: Bool) -> Bool {
        !needsUserAuthentication || isSatisfied(by: isBuiltIn ? [.passcode, .everyFinger] : .passcode)
    }

    /// Whether a constraint requires the fingers that were enrolled when the item was added.
    package var isBoundToEnrolledSet: Bool { flags & ConstraintBit.biometryCurrentSet != 0 }

    /// Returns whether the proofs satisfy all constraints on the user or, with the flag `or`, at least one.
    package func isSatisfied(by proofs: UserProofs) -> Bool {
        let constraints = ConstraintBit.userConstraints.filter { flags & $0.bit != 0 }
        return flags & ConstraintBit.or == 0
            ? constraints.allSatisfy { !$0.proofs.isDisjoint(with: proofs) }
            : constraints.contains { !$0.proofs.isDisjoint(with: proofs) }
    }

    /// Returns whether a finger alone opens a new item.
    ///
    /// The result is true if the flags accept a finger, and either a finger is enrolled or the flags do not accept the
    /// passcode. The key of such an item is not wrapped for the passcode: a fingerprint yields no key, so it could not
    /// unwrap the item's key.
    package func isOpenedByFinger(whereEnrolled hasFingers: Bool) -> Bool {
        isSatisfied(by: .everyFinger) && (hasFingers || !isSatisfied(by: .passcode))
    }

    /// The error by which the store tells the client that the user must authenticate.
    ///
    /// Callers of the API never see this error. Its code contains the lower 32 bits of the flags, which include
    /// every constraint that the user can satisfy.
    package var authenticationNeeded: StatusError { needed(.authenticationNeeded) }

    /// The error ``authenticationNeeded`` with the reason `fingerSuffices`, for an item that a finger alone opens.
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
    /// The lower 32 bits of the flags of the access control that is not satisfied.
    ///
    /// The result is `nil` unless the error is `authenticationNeeded` with a code.
    package var unsatisfiedFlags: UInt64? {
        guard status == .authenticationNeeded, let code else { return nil }
        return UInt64(UInt32(bitPattern: code))
    }
}
