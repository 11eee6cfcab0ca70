// SPDX-License-Identifier: Apache-2.0

package enum Response: Sendable {
    case done
    /// The items found, the item added, or the result of an operation with a private key.
    ///
    /// A search that finds nothing throws an error instead of returning an empty array.
    case items([FoundItem])
    case status(StoreStatus)
}

/// An item as returned: its reference and the requested contents.
package struct FoundItem: Sendable {
    package let reference: PersistentReference
    /// All returned attributes, including defaults; empty if none were requested.
    package let attributes: Attributes
    package let accessControl: AccessControl
    /// The value, or the private key of an identity; `nil` if the item has no value or it was not requested.
    package let secret: SecretBuffer?
    /// The certificate of an identity; `nil` for other classes and if it was not requested.
    package let certificate: SecretBuffer?
    /// The item of an identity's private key; `nil` for other classes.
    package let privateKey: PersistentReference?

    package init(
        reference: PersistentReference,
        attributes: Attributes,
        accessControl: AccessControl,
        secret: SecretBuffer?,
        certificate: SecretBuffer? = nil,
        privateKey: PersistentReference? = nil
    ) {
        self.reference = reference
        self.attributes = attributes
        self.accessControl = accessControl
        self.secret = secret
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// The status of a store, which is determined without decrypting an item.
package struct StoreStatus: Hashable, Sendable {
    package enum KeyCache: String, Sendable {
        /// No cache is needed, because no passcode is set: the device key alone opens every protection class
        /// except the one that requires a passcode.
        case deviceKeyOnly
        case kernelKeyring
        /// A file in the user's runtime directory.
        case runtimeFile
        /// The memory of this process, which no other process can read.
        case thisProcess
    }

    package enum LockState: String, Sendable {
        case noPasscode
        /// The keychain has not been unlocked since the key cache was last lost, for example at a restart of the
        /// machine.
        ///
        /// Only the `always` classes are unlocked.
        case beforeFirstUnlock
        case unlocked
        /// Only the `always` and `afterFirstUnlock` classes are unlocked.
        case locked
    }

    package let formatMajor: Int
    package let formatMinor: Int
    package let store: Bytes16
    package let generation: UInt64
    package let itemCount: UInt64
    package let tombstoneCount: UInt64
    package let isReadOnly: Bool
    package let passcodeIsSet: Bool
    package let keyCache: KeyCache
    package let lockState: LockState
    package let lockSettings: LockSettings

    package init(
        formatMajor: Int,
        formatMinor: Int,
        store: Bytes16,
        generation: UInt64,
        itemCount: UInt64,
        tombstoneCount: UInt64,
        isReadOnly: Bool,
        passcodeIsSet: Bool,
        keyCache: KeyCache,
        lockState: LockState,
        lockSettings: LockSettings
    ) {
        self.formatMajor = formatMajor
        self.formatMinor = formatMinor
        self.store = store
        self.generation = generation
        self.itemCount = itemCount
        self.tombstoneCount = tombstoneCount
        self.isReadOnly = isReadOnly
        self.passcodeIsSet = passcodeIsSet
        self.keyCache = keyCache
        self.lockState = lockState
        self.lockSettings = lockSettings
    }
}

/// When the keychain locks automatically.
package struct LockSettings: Hashable, Sendable {
    /// The seconds from an unlock, or a change of these settings, until the keychain locks; `nil` for never.
    package var interval: UInt32?
    package var locksOnSleep: Bool

    package init(interval: UInt32? = nil, locksOnSleep: Bool = false) {
        self.interval = interval
        self.locksOnSleep = locksOnSleep
    }
}
