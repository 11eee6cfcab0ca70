// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A permanent reference to an item: its class, row number and a random tag.
package struct PersistentReference: Hashable, Sendable {
    package let itemClass: ItemClass
    package let item: Bytes16

    package static let byteCount = 20

    package init(itemClass: ItemClass, item: Bytes16) {
        self.itemClass = itemClass
        self.item = item
    }

    /// Parses the 20 bytes of `kSecReturnPersistentRef`.
    ///
    /// - Throws: `invalidParameter` for any other size or prefix. Source: Apple's published Security sources.
    package init(_ data: Data) throws(StatusError) {
        guard data.count == Self.byteCount,
            let name = String(data: data.prefix(4), encoding: .utf8),
            let itemClass = ItemClass(name: name),
            let item = Bytes16(Data(data.dropFirst(4)))
        else { throw StatusError(.invalidParameter, .malformedReference) }
        self.init(itemClass: itemClass, item: item)
    }

    package var data: Data { Data(itemClass.name.utf8) + item.data }
}
