// SPDX-License-Identifier: Apache-2.0

/// A permanent reference to an item: its class and identifier.
package struct PersistentReference: Hashable, Sendable {
    package let itemClass: ItemClass
    /// The item identifier: the row number and the row's random tag.
    package let item: Bytes16

    package static let byteCount = 20

    package init(itemClass: ItemClass, item: Bytes16) {
        self.itemClass = itemClass
        self.item = item
    }

    /// Parses the 20 bytes of `kSecReturnPersistentRef`.
    ///
    /// - Throws: `invalidParameter` for any other size or prefix. Source: Apple's published Security sources.
    package init(_ bytes: [UInt8]) throws(StatusError) {
        guard bytes.count == Self.byteCount,
            let itemClass = ItemClass(name: String(decoding: bytes[..<4], as: UTF8.self)),
            let item = Bytes16(Array(bytes[4...]))
        else { throw StatusError(.invalidParameter, .malformedReference) }
        self.init(itemClass: itemClass, item: item)
    }

    package var bytes: [UInt8] { Array(itemClass.name.utf8) + item.bytes }
}
