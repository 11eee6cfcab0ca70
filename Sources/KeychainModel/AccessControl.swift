// SPDX-License-Identifier: Apache-2.0

/// When and by whom an item may be opened: its protection class and the constraints upon it.
package struct AccessControl: Hashable, Codable, Sendable {
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
private enum ConstraintBit {
    static let userPresence: UInt64 = 1 << 0
    static let biometryAny: UInt64 = 1 << 1
    static let biometryCurrentSet: UInt64 = 1 << 3
    static let devicePasscode: UInt64 = 1 << 4
    static let companion: UInt64 = 1 << 5
    static let or: UInt64 = 1 << 14
    static let applicationPassword: UInt64 = 1 << 31

    /// Those that a person satisfies.
    static let ofPerson = [userPresence, biometryAny, biometryCurrentSet, devicePasscode, companion]
    /// Those that the passcode satisfies.
    static let ofPasscode = [userPresence, devicePasscode]
}

extension AccessControl {
    /// Whether a person has to be there; the use of a private key counts as reading it, because here it is.
    package var needsPerson: Bool { ConstraintBit.ofPerson.contains { flags & $0 != 0 } }

    package var needsApplicationPassword: Bool { flags & ConstraintBit.applicationPassword != 0 }

    package var isConstrained: Bool { needsPerson || needsApplicationPassword }

    /// Whether the passcode is enough of a person: all constraints must be satisfied, or with *or* one of them.
    package var isSatisfiedByPasscode: Bool {
        let constraints = ConstraintBit.ofPerson.filter { flags & $0 != 0 }
        return flags & ConstraintBit.or == 0
            ? constraints.allSatisfy(ConstraintBit.ofPasscode.contains)
            : constraints.contains(where: ConstraintBit.ofPasscode.contains)
    }

    /// The error that stands for the constraints on their way from the keychain to whoever can ask.
    ///
    /// It never reaches a caller of the API. Every flag is among the lower 32 bits, which are the error's code.
    package var authenticationNeeded: KeychainError {
        KeychainError(
            .authenticationNeeded,
            .authenticationNeeded,
            attribute: .accessControl,
            code: Int32(truncatingIfNeeded: flags)
        )
    }
}

extension KeychainError {
    /// The constraints that are to be satisfied, of an error that stands for some.
    package var unsatisfiedFlags: UInt64? {
        guard status == .authenticationNeeded, let code else { return nil }
        return UInt64(UInt32(bitPattern: code))
    }
}
