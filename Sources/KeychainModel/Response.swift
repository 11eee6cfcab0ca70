// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a keychain answers.
package enum Response: Sendable {
    case done
    /// The items found or, after Add, the one added. Never empty after a search.
    case items([FoundItem])
    case status(StoreStatus)
}

/// One item, with as much of it as was asked for.
package struct FoundItem: Sendable {
    package let reference: PersistentReference
    /// Every attribute that is returned, defaults included; empty where none was asked for.
    package let attributes: Attributes
    /// The access control of the item, a bare class where it has no constraint.
    package let accessControl: AccessControl
    /// `nil` where the item has no value or none was asked for; the private key of an identity.
    package let secret: Data?
    /// The certificate of an identity, whose secret is its private key; `nil` where none was asked for.
    package let certificate: Data?

    package init(
        reference: PersistentReference,
        attributes: Attributes,
        accessControl: AccessControl,
        secret: Data?,
        certificate: Data? = nil
    ) {
        self.reference = reference
        self.attributes = attributes
        self.accessControl = accessControl
        self.secret = secret
        self.certificate = certificate
    }
}

/// What is known about a store without opening an item.
package struct StoreStatus: Hashable, Sendable {
    package enum KeyCache: String, Sendable {
        /// No passcode is set: the device key alone opens everything but the passcode class.
        case deviceKeyOnly
        /// The kernel's keyring of the user.
        case kernelKeyring
        /// A file in the user's runtime directory.
        case runtimeFile
        /// Nothing outlives this process.
        case thisProcess
    }

    package enum LockState: String, Sendable {
        /// No passcode is set.
        case noPasscode
        /// Nobody has unlocked since the keys were last lost, as by a restart: the always classes alone are open.
        case beforeFirstUnlock
        case unlocked
        /// The classes that need the first unlock alone stay open.
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

/// When a keychain locks by itself.
package struct LockSettings: Hashable, Sendable {
    /// The seconds after an unlock; `nil` for never.
    package var interval: UInt32?
    /// Whether it locks when the machine has slept.
    package var locksOnSleep: Bool

    package init(interval: UInt32? = nil, locksOnSleep: Bool = false) {
        self.interval = interval
        self.locksOnSleep = locksOnSleep
    }
}
