// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A key and its value in a migration.
public struct MigratableKeyValuePair<Key: Hashable>: Hashable {
    /// The key, which is the account of the item.
    public let key: Key
    /// The bytes of the value.
    public let value: Data

    /// Creates a pair of a key and bytes.
    public init(key: Key, value: Data) {
        self.key = key
        self.value = value
    }

    /// Creates a pair of a key and the UTF-8 bytes of a string.
    public init(key: Key, value: String) {
        self.init(key: key, value: Data(value.utf8))
    }
}
