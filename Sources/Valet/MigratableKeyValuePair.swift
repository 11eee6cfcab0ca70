// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A key and its value on their way from one place to another.
public struct MigratableKeyValuePair<Key: Hashable>: Hashable {
    /// The key: what the item has as its account.
    public let key: Key
    /// The bytes of the value.
    public let value: Data

    /// Makes a pair of a key and bytes.
    public init(key: Key, value: Data) {
        self.key = key
        self.value = value
    }

    /// Makes a pair of a key and the UTF-8 bytes of a text.
    public init(key: Key, value: String) {
        self.init(key: key, value: Data(value.utf8))
    }
}
