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

    /// Rebuilds the object of an item that was found; `nil` where its bytes make none.
    init?(stored value: Data, attributes: Attributes)
}
