// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The status of a keychain, available without decrypting an item.
public struct KeychainStatus: Sendable, Hashable {
    /// Where the unlocked keys are cached.
    public struct KeyCache: Sendable, Hashable, CustomStringConvertible {
        /// The name of the key cache, as `show-keychain-info` prints it.
        public let description: String

        /// No key cache: the device key alone opens all protection classes except
        /// `WhenPasscodeSetThisDeviceOnly`, because no passcode is set.
        public static let deviceKeyOnly = Self(description: "device key only")
        /// The user's kernel keyring: all the user's programs can use the keys.
        public static let kernelKeyring = Self(description: "kernel keyring")
        /// A file in the user's runtime directory: all the user's programs that see the directory can use the
        /// keys.
        public static let runtimeFile = Self(description: "runtime directory")
        /// No key cache is available: each process unlocks for itself.
        public static let thisProcess = Self(description: "this process only")
    }

    /// Which protection classes are unlocked, so that their items can be decrypted.
    public struct LockState: Sendable, Hashable, CustomStringConvertible {
        /// The state's name, as `show-keychain-info` prints it.
        public let description: String

        /// No passcode is set: all classes except `WhenPasscodeSetThisDeviceOnly` are unlocked.
        public static let noPasscode = Self(description: "no passcode")
        /// The keychain has not been unlocked since the system started: only the `Always` classes are unlocked.
        public static let beforeFirstUnlock = Self(description: "locked since the start")
        /// All protection classes are unlocked.
        public static let unlocked = Self(description: "unlocked")
        /// The `Always` and `AfterFirstUnlock` classes are unlocked.
        public static let locked = Self(description: "locked")
    }

    /// How reliably the keychain knows which program calls it, and so which access groups the program may use.
    public struct CallerLevel: Sendable, Hashable, Comparable, CustomStringConvertible {
        private let level: KeychainModel.CallerLevel

        init(_ level: KeychainModel.CallerLevel) { self.level = level }

        /// The level's name, as `security doctor` prints it.
        public var description: String { level.name }

        /// The program opens the store itself; other programs of the user can claim any access group.
        public static let embedded = Self(.embedded)
        /// The user's own daemon serves the program; other programs of the user can claim any access group.
        public static let userService = Self(.userService)
        /// The system service has identified the program by its executable's digest.
        public static let digest = Self(.digest)
        /// Like ``digest``, but the program is also signed, and confined by AppArmor, Snap or Flatpak.
        public static let sandbox = Self(.sandbox)
        /// The program is signed, and the kernel reports the Unix group of its team as its effective group.
        public static let group = Self(.group)

        /// Whether a level is lower than another.
        public static func < (left: Self, right: Self) -> Bool { left.level < right.level }
    }

    /// The store's directory, as ``KeychainControl/directory()`` returns it.
    public let directory: String
    /// The version of the file format that this program supports, major and minor.
    public var format: (major: Int, minor: Int) {
        (formatMajor, formatMinor)
    }
    private let formatMajor: Int
    private let formatMinor: Int
    /// The number of successful writes to the store, including passcode and lock changes.
    public let generation: UInt64
    /// The number of items in the store, of all applications.
    public let itemCount: UInt64
    /// The number of tombstones, which record deleted synchronizable items.
    public let tombstoneCount: UInt64
    /// Whether the store can be read but not written.
    public let isReadOnly: Bool
    /// Whether a passcode is set.
    public let passcodeIsSet: Bool
    /// Where the unlocked keys are cached.
    public let keyCache: KeyCache
    /// Which protection classes are unlocked.
    public let lockState: LockState
    /// Seconds after an unlock until the keychain locks automatically; `nil` for never.
    public let autoLockInterval: UInt32?
    /// Whether the keychain locks when the system sleeps.
    public let locksOnSleep: Bool
    /// How reliably the keychain knows that this program is the caller.
    public let callerLevel: CallerLevel

    init(_ status: StoreStatus, directory: String, level: KeychainModel.CallerLevel) {
        callerLevel = CallerLevel(level)
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
