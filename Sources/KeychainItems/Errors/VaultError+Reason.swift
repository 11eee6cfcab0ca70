// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension VaultError {
    /// When a locked item can be read.
    public enum UnlockEvent: Hashable, Sendable {
        /// After the first unlock since the machine started.
        case firstUnlock
        /// When the keychain is unlocked.
        case unlock
    }

    /// The kinds of failure; later versions may add some, so give a `switch` a `default`.
    public enum Reason: Hashable, Sendable {
        /// There is no such item, where one must be.
        case notFound
        /// There is such an item already.
        case duplicate
        /// The item is there, or may be, and is locked.
        case locked(until: UnlockEvent)
        /// The item is only for a keychain with a passcode, and none is set.
        case passcodeNotSet
        /// The user did not prove what the item's access control demands.
        case authenticationFailed
        /// Too many wrong passcodes were tried: none is accepted for some time.
        case tooManyAttempts
        /// The user cancelled the prompt, or the program invalidated the session.
        case cancelled
        /// The user would have to be asked, and cannot be or must not.
        case interactionRequired
        /// The program has no access group, or not the one that was named.
        case missingEntitlement
        /// The key is empty.
        case emptyKey
        /// An argument is not one that the keychain takes.
        case invalidArgument
        /// The value, or the attributes together, are larger than the keychain takes.
        case valueTooLarge
        /// The value cannot be encoded.
        case unencodable
        /// The bytes that are stored are no value of the type that was asked for.
        case undecodable
        /// More than one item matches a call for one item: name the access group.
        case ambiguous
        /// Other writers changed the item each time, before this one could.
        case conflict
        /// Other writers keep the keychain busy.
        case busy
        /// The keychain can be read and not written.
        case readOnly
        /// The disk is full; what was there is there still.
        case diskFull
        /// The files of the keychain, or the item, are damaged.
        case damaged
        /// The keychain cannot be opened.
        case unavailable
        /// The platform, or this build, cannot do it.
        case unsupported
        /// Anything else; the status says more.
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

    /// The reasons that tell more than their status; `nil` for the others.
    private init?(_ reason: Reason, until event: VaultError.UnlockEvent) {
        switch reason {
        case .classKeyAbsent: self = .locked(until: event)
        case .passcodeNotSet, .noPasscode: self = .passcodeNotSet
        case .tooManyGuesses: self = .tooManyAttempts
        case .authenticationNeeded, .promptForbidden, .promptWithoutTerminal, .promptWithoutPinentry,
            .promptFailed:
            self = .interactionRequired
        case .promptCanceled: self = .cancelled
        case .writerBusy: self = .busy
        case .headerDamaged, .keybagDamaged, .setHashMismatch, .recordDamaged, .indexDamaged,
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

    /// What is said of a reason without a status, or whose status says no more.
    var explanation: Explanation {
        switch self {
        case .notFound: .init("there is no such item")
        case .duplicate: .init("there is such an item already", "set it instead of adding it")
        case .locked: .init("the keychain is locked for this item", "unlock it")
        case .passcodeNotSet: .init("the item needs a passcode, and none is set", "set a passcode")
        case .authenticationFailed: .init("the user did not prove what the item demands")
        case .tooManyAttempts: .init("too many wrong passcodes were tried", "wait before the next")
        case .cancelled: .init("the prompt was cancelled")
        case .interactionRequired:
            .init("the user would have to be asked, and cannot be", "call from a program with a terminal")
        case .missingEntitlement:
            .init("the program is not entitled to the access group", "add it to its entitlements")
        case .emptyKey: .init("the key is empty", "give the secret a name")
        case .invalidArgument: .init("an argument is not one that the keychain takes")
        case .valueTooLarge: .init("the value is too large", "keep it in a file, and its key in the keychain")
        case .unencodable: .init("the value cannot be encoded", "what was stored is kept")
        case .undecodable:
            .init("the stored bytes are no value of this type", "read them as SecretBytes, or remove them")
        case .ambiguous: .init("more than one item matches", "name the access group")
        case .conflict: .init("other writers changed the item each time", "try again")
        case .busy: .init("other writers keep the keychain busy", "try again")
        case .readOnly: .init("the keychain can be read and not written")
        case .diskFull: .init("the disk is full", "free some space; what was there is there still")
        case .damaged: .init("the keychain or the item is damaged", "restore it from a copy")
        case .unavailable: .init("the keychain cannot be opened")
        case .unsupported: .init("the platform, or this build, cannot do that")
        case .other: .init("the keychain failed")
        }
    }
}
