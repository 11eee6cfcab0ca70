// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// An object that stands for an item: it is given under `kSecValueRef` and comes back for `kSecReturnRef`.
protocol ItemObject: NSObject {
    /// The class of the items that such objects stand for.
    static var itemClass: ItemClass { get }

    /// The attributes that follow from the object; what a caller names beside them wins.
    var derivedAttributes: Attributes { get }

    /// What is stored as the value of the item.
    var storedValue: Data { get }

    /// The label of an item that is given none.
    var inferredLabel: AttributeValue? { get }

    /// Rebuilds the object of an item that was found; `nil` where its bytes make none.
    init?(stored value: Data, attributes: Attributes)
}

extension ItemObject {
    var itemClass: ItemClass { Self.itemClass }
    var inferredLabel: AttributeValue? { nil }

    /// The attributes by which a query finds the items that the object stands for.
    ///
    /// What a key is permitted to do can have been changed since it was stored. For a deletion only those count of which
    /// digests are stored, because what is locked is deleted too.
    func identifyingAttributes(for role: DictionaryRole) -> Attributes {
        let schema = ItemSchema.of(itemClass)
        var attributes = Attributes()
        for entry in derivedAttributes.entries where !entry.attribute.isPermission {
            let hasDigest = schema[entry.attribute]?.traits.isDisjoint(with: [.unique, .searchable]) == false
            guard role != .delete || hasDigest else { continue }
            attributes[entry.attribute] = entry.value
        }
        return attributes
    }
}

extension Attribute {
    fileprivate var isPermission: Bool {
        switch self {
        case .isPermanent, .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover,
            .canVerifyRecover, .canWrap, .canUnwrap:
            true
        default: false
        }
    }
}
