// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A persistent reference to an item.
///
/// The reference of an item never changes. A program can store the reference and use it in later runs.
public struct ItemReference: Hashable, Sendable {
    let reference: PersistentReference

    init(_ reference: PersistentReference) { self.reference = reference }

    /// Creates a reference from its stored ``data``; `nil` if the bytes are not a reference.
    public init?(_ data: Data) {
        guard let reference = try? PersistentReference(Array(data)) else { return nil }
        self.reference = reference
    }

    /// The bytes of the reference; they contain no secret.
    public var data: Data { Data(reference.bytes) }

    /// The class of the item.
    public var itemClass: KeychainItemClass { KeychainItemClass(itemClass: reference.itemClass) }
}
