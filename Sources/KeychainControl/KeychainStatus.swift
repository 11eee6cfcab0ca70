// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// What is known about a keychain without opening an item.
public struct KeychainStatus: Sendable, Hashable {
    /// Who holds the unlocked keys.
    public struct KeyHolder: Sendable, Hashable, CustomStringConvertible {
        /// The holder's name, as `show-keychain-info` prints it.
        public let description: String

        /// No passcode is set: the device key alone opens everything but the passcode class.
        public static let deviceKeyOnly = Self(description: "device key only")
    }

    /// The directory of the store, an absolute path.
    public let directory: String
    /// The version of the file format, major and minor.
    public var format: (major: Int, minor: Int) {
        (formatMajor, formatMinor)
    }
    private let formatMajor: Int
    private let formatMinor: Int
    /// How many changes the store has seen.
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
    public let keyHolder: KeyHolder

    init(_ status: StoreStatus, directory: String) {
        self.directory = directory
        formatMajor = status.formatMajor
        formatMinor = status.formatMinor
        generation = status.generation
        itemCount = status.itemCount
        tombstoneCount = status.tombstoneCount
        isReadOnly = status.isReadOnly
        passcodeIsSet = status.passcodeIsSet
        keyHolder =
            switch status.keyHolder {
            case .deviceKeyOnly: .deviceKeyOnly
            }
    }
}
