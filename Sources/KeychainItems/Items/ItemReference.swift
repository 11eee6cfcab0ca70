// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The handle of an item that survives every change of it, to be stored and used by a later run of the program.
///
/// Apple calls it a persistent reference.
public struct ItemReference: Hashable, Sendable {
    let reference: PersistentReference

    init(_ reference: PersistentReference) { self.reference = reference }

    /// Reads a reference that was stored as ``data``; `nil` for other bytes.
    public init?(_ data: Data) {
        guard let reference = try? PersistentReference(data) else { return nil }
        self.reference = reference
    }

    /// The bytes of the reference, which contain no secret.
    public var data: Data { reference.data }

    /// The class of the item.
    public var itemClass: KeychainItemClass { KeychainItemClass(itemClass: reference.itemClass) }
}
