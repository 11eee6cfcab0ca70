// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension VaultError {
    /// The event after which a locked item is readable.
    public enum UnlockEvent: Hashable, Sendable {
        /// The first unlock after the machine starts.
        case firstUnlock
        /// The next unlock of the keychain.
        case unlock
    }

    /// The reasons for a failure.
    ///
    /// Later versions may add reasons, so give a `switch` a `default` case.
    public enum Reason: Hashable, Sendable {
        /// The required item does not exist.
        case notFound
        /// The item already exists.
        case duplicate
        /// The keychain is locked, so the item cannot be read or written.
        case locked(until: UnlockEvent)
        /// The item requires a passcode, and none is set.
        case passcodeNotSet
        /// The user failed to authenticate as the access control requires.
        case authenticationFailed
        /// The item requires a fingerprint, and there is no sensor or no enrolled finger.
        case biometryUnavailable
        /// Too many wrong passcodes were entered, so no passcode is accepted for some time.
        case tooManyAttempts
        /// The user canceled the prompt, the program invalidated the session, or the task was cancelled.
        case cancelled
        /// Authentication is required, but user interaction is impossible or not allowed.
        case interactionRequired
        /// The program must not use the items: for example, it is not in the access group of the request.
        case missingEntitlement
        /// The key is empty.
        case emptyKey
        /// The keychain does not accept an argument.
        case invalidArgument
        /// The value or the attributes exceed the size limit, or there is not enough memory.
        case valueTooLarge
        /// The value cannot be encoded.
        case unencodable
        /// The stored bytes are not valid for the requested type.
        case undecodable
        /// More than one item matches; specify the access group to select one.
        case ambiguous
        /// Every attempt to write the item failed because another writer had changed it meanwhile.
        case conflict
        /// Other writers keep the keychain busy.
        case busy
        /// The keychain is read-only.
        case readOnly
        /// The disk is full. The keychain is unchanged.
        case diskFull
        /// The item or the files of the keychain are damaged.
        case damaged
        /// The keychain cannot be used: for example, it cannot be opened, or its daemon does not answer.
        case unavailable
        /// The platform or this build does not support the operation.
        case unsupported
        /// Another reason; see the status.
        case other
    }
}

extension VaultError.Reason {
    init(_ error: StatusError, until event: VaultError.UnlockEvent) {
        if let reason = error.reason, let match = Self(reason, until: event) {
            self = match
        } else {
            self = Self(error.status, until: event)
        }
    }

    /// Creates a reason that is more specific than the status; `nil` if the status alone determines the reason.
    private init?(_ reason: Reason, until event: VaultError.UnlockEvent) {
        switch reason {
        case .classKeyAbsent: self = .locked(until: event)
        case .passcodeNotSet, .noPasscode: self = .passcodeNotSet
        case .constraintUnsatisfiable: self = .biometryUnavailable
        case .tooManyGuesses: self = .tooManyAttempts
        case .authenticationNeeded, .promptForbidden, .promptWithoutTerminal, .promptWithoutPinentry,
            .promptFailed:
            self = .interactionRequired
        case .promptCanceled: self = .cancelled
        case .writerBusy: self = .busy
        case .headerDamaged, .keybagDamaged, .multisetHashMismatch, .recordDamaged, .indexDamaged,
            .databaseDamaged, .deviceKeyDamaged, .deviceKeyMissing, .databaseRolledBack:
            self = .damaged
        case .objectsTraitDisabled, .trustTraitDisabled, .pkcs12TraitDisabled: self = .unsupported
        default: return nil
        }
    }

    private init(_ status: Status, until event: VaultError.UnlockEvent) {
        self =
            switch status {
            case .itemNotFound: .notFound
            case .duplicateItem: .duplicate
            case .interactionNotAllowed: .locked(until: event)
            case .authenticationFailed: .authenticationFailed
            case .userCanceled: .cancelled
            case .missingEntitlement: .missingEntitlement
            case .invalidParameter, .noSuchAttribute, .noSuchClass: .invalidArgument
            case .dataTooLarge, .allocation: .valueTooLarge
            case .readOnly, .writePermission: .readOnly
            case .diskFull: .diskFull
            case .undecodable: .damaged
            case .notAvailable, .noSuchKeychain, .inputOutput: .unavailable
            case .unimplemented: .unsupported
            default: .other
            }
    }

    /// The explanation of this reason, for errors without a more specific explanation.
    var explanation: Explanation {
        switch self {
        case .notFound: .init("there is no such item")
        case .duplicate: .init("the item already exists", "set it instead of adding it")
        case .locked: .init("the keychain is locked for this item", "unlock it")
        case .passcodeNotSet: .init("the item needs a passcode, and none is set", "set a passcode")
        case .authenticationFailed: .init("the user failed to authenticate as the item requires")
        case .biometryUnavailable: Reason.constraintUnsatisfiable.explanation(of: nil)
        case .tooManyAttempts: .init("too many wrong passcodes were tried", "wait before the next attempt")
        case .cancelled: .init("the prompt was cancelled")
        case .interactionRequired:
            .init("user interaction is required but not possible", "call from a program with a terminal")
        case .missingEntitlement:
            .init("the program is not entitled to the access group", "add it to its entitlements")
        case .emptyKey: .init("the key is empty", "give the secret a name")
        case .invalidArgument: .init("the keychain does not accept an argument")
        case .valueTooLarge:
            .init(
                "the value is too large",
                "encrypt it in a file, and store the encryption key in the keychain"
            )
        case .unencodable: .init("the value cannot be encoded", "the stored value is unchanged")
        case .undecodable:
            .init("the stored bytes are not a value of this type", "read them as SecretBytes, or remove them")
        case .ambiguous: .init("more than one item matches", "name the access group")
        case .conflict: .init("other writers changed the item each time", "try again")
        case .busy: .init("other writers keep the keychain busy", "try again")
        case .readOnly: .init("the keychain can be read but not written")
        case .diskFull: .init("the disk is full", "free some space; the stored items are unchanged")
        case .damaged: .init("the keychain or the item is damaged", "restore it from a copy")
        case .unavailable: .init("the keychain cannot be opened")
        case .unsupported: .init("the platform, or this build, cannot do that")
        case .other: .init("the keychain failed")
        }
    }
}
