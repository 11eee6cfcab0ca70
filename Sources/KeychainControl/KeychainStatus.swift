// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// What is known about a keychain without opening an item.
public struct KeychainStatus: Sendable, Hashable {
    /// Who holds the unlocked keys.
    public struct KeyCache: Sendable, Hashable, CustomStringConvertible {
        /// The name of the key cache, as `show-keychain-info` prints it.
        public let description: String

        /// No passcode is set: the device key alone opens everything but the passcode class.
        public static let deviceKeyOnly = Self(description: "device key only")
        /// The kernel's keyring of the user: every program of the user, until the keychain locks.
        public static let kernelKeyring = Self(description: "kernel keyring")
        /// A file in the user's runtime directory: every program of the user that sees the directory.
        public static let runtimeFile = Self(description: "runtime directory")
        /// Neither can be used: who unlocks unlocks for its own process.
        public static let thisProcess = Self(description: "this process only")
    }

    /// What can be opened now.
    public struct LockState: Sendable, Hashable, CustomStringConvertible {
        /// The state's name, as `show-keychain-info` prints it.
        public let description: String

        /// No passcode is set: everything but the passcode class.
        public static let noPasscode = Self(description: "no passcode")
        /// Not unlocked since the machine started: the always classes alone.
        public static let beforeFirstUnlock = Self(description: "locked since the start")
        /// Everything.
        public static let unlocked = Self(description: "unlocked")
        /// The always classes and those of the first unlock.
        public static let locked = Self(description: "locked")
    }

    /// The directory of the store, as ``KeychainControl/directory()`` gives it.
    public let directory: String
    /// The version of the file format that this program knows, major and minor.
    public var format: (major: Int, minor: Int) {
        (formatMajor, formatMinor)
    }
    private let formatMajor: Int
    private let formatMinor: Int
    /// How many changes the store has seen: every write that succeeded, of items and of passcode and lock.
    public let generation: UInt64
    /// The number of items, those of every application together.
    public let itemCount: UInt64
    /// The number of deleted synchronizable items that are remembered.
    public let tombstoneCount: UInt64
    /// Whether the store can be read and not written.
    public let isReadOnly: Bool
    /// Whether a passcode protects the store.
    public let passcodeIsSet: Bool
    /// Who holds the unlocked keys.
    public let keyCache: KeyCache
    /// What can be opened now.
    public let lockState: LockState
    /// After how many seconds an unlocked keychain locks by itself; `nil` for never.
    public let autoLockInterval: UInt32?
    /// Whether it is locked after the machine has slept.
    public let locksOnSleep: Bool

    init(_ status: StoreStatus, directory: String) {
        self.directory = directory
        formatMajor = status.formatMajor
        formatMinor = status.formatMinor
        generation = status.generation
        itemCount = status.itemCount
        tombstoneCount = status.tombstoneCount
        isReadOnly = status.isReadOnly
        passcodeIsSet = status.passcodeIsSet
        keyCache =
            switch status.keyCache {
            case .deviceKeyOnly: .deviceKeyOnly
            case .kernelKeyring: .kernelKeyring
            case .runtimeFile: .runtimeFile
            case .thisProcess: .thisProcess
            }
        lockState =
            switch status.lockState {
            case .noPasscode: .noPasscode
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .unlocked: .unlocked
            case .locked: .locked
            }
        autoLockInterval = status.lockSettings.interval
        locksOnSleep = status.lockSettings.locksOnSleep
    }
}
