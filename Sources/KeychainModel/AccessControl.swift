// SPDX-License-Identifier: Apache-2.0

/// When and by whom an item may be opened: its protection class and the constraints upon it.
package struct AccessControl: Hashable, Sendable {
    package let protection: ProtectionClass
    /// The bits of `SecAccessControlCreateFlags`.
    package let flags: UInt64
    /// Made by `SecAccessControlCreateWithFlags`: such an object never equals a bare class, even without flags.
    package let isExplicit: Bool

    /// The object that stands for a protection class alone.
    package init(protection: ProtectionClass) {
        self.protection = protection
        flags = 0
        isExplicit = false
    }

    /// The object that a caller made with flags.
    package init(protection: ProtectionClass, flags: UInt64) {
        self.protection = protection
        self.flags = flags
        isExplicit = true
    }
}

/// The bits of the constraints, as the API numbers them.
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

    /// Those that the user satisfies, and by what: one of these is enough.
    fileprivate static let ofPerson: [(bit: UInt64, proofs: PersonProofs)] = [
        (userPresence, [.passcode, .finger]), (biometryAny, .finger), (biometryCurrentSet, .fingerOfSet),
        (devicePasscode, .passcode), (companion, []),
    ]
}

/// What the user has proved, or could.
package struct PersonProofs: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passcode = Self(rawValue: 1)
    package static let finger = Self(rawValue: 2)
    /// One of the fingers that were enrolled when the item was made.
    package static let fingerOfSet = Self(rawValue: 4)
    package static let everyFinger: Self = [.finger, .fingerOfSet]
}

extension AccessControl {
    /// Whether the user has to be there; the use of a private key counts as reading it, because here it is.
    package var needsPerson: Bool { ConstraintBit.ofPerson.contains { flags & $0.bit != 0 } }

    package var needsApplicationPassword: Bool { flags & ConstraintBit.applicationPassword != 0 }

    package var isConstrained: Bool { needsPerson || needsApplicationPassword }

    /// Whether the flags can be combined: some exclude each other.
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

    /// Whether this system can satisfy the constraints, with or without fingerprint support.
    package func canBeSatisfied(withFingerprints isBuiltIn: Bool) -> Bool {
        !needsPerson || isSatisfied(by: isBuiltIn ? [.passcode, .everyFinger] : .passcode)
    }

    /// Whether only those open it who are enrolled when it is made.
    package var isBoundToEnrolledSet: Bool { flags & ConstraintBit.biometryCurrentSet != 0 }

    /// Whether this is enough of the user: all constraints must be satisfied, or with *or* one of them.
    package func isSatisfied(by proofs: PersonProofs) -> Bool {
        let constraints = ConstraintBit.ofPerson.filter { flags & $0.bit != 0 }
        return flags & ConstraintBit.or == 0
            ? constraints.allSatisfy { !$0.proofs.isDisjoint(with: proofs) }
            : constraints.contains { !$0.proofs.isDisjoint(with: proofs) }
    }

    /// Whether a finger alone is to open a new item: its flags allow it, and a finger is enrolled or the passcode does not.
    ///
    /// Such an item is sealed under its class alone, as a finger yields no key.
    package func isOpenedByFinger(whereEnrolled hasFingers: Bool) -> Bool {
        isSatisfied(by: .everyFinger) && (hasFingers || !isSatisfied(by: .passcode))
    }

    /// The error that stands for the constraints on their way from the keychain to whoever can ask.
    ///
    /// It never reaches a caller of the API. Every flag is among the lower 32 bits, which are the error's code.
    package var authenticationNeeded: StatusError { needed(.authenticationNeeded) }

    /// The same for an item that a finger opens.
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
    /// The constraints that are to be satisfied, of an error that stands for some.
    package var unsatisfiedFlags: UInt64? {
        guard status == .authenticationNeeded, let code else { return nil }
        return UInt64(UInt32(bitPattern: code))
    }
}
