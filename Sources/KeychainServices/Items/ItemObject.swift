// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// An object that represents an item: `SecKey` or `SecCertificate`.
protocol ItemObject: NSObject {
    var storable: any StorableObject { get }
}

extension ItemObject {
    var itemClass: ItemClass { type(of: storable).itemClass }

    /// Returns the attributes by which a query finds the items of this object.
    ///
    /// A key's permissions are excluded, because they may have changed since the key was stored. A deletion also
    /// matches locked items, which cannot be decrypted, so its query contains only attributes whose
    /// digests are stored next to the ciphertext.
    func identifyingAttributes(for role: DictionaryRole) -> Attributes {
        let schema = ItemSchema.of(itemClass)
        var attributes = Attributes()
        for entry in storable.derivedAttributes.entries where !entry.attribute.isPermission {
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
