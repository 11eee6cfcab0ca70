// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// An object that an item can hold as its value: a key or a certificate.
package protocol StorableObject: Sendable {
    /// The class of the items that hold such objects.
    static var itemClass: ItemClass { get }

    /// The attributes that follow from the object; those that a caller names win.
    var derivedAttributes: Attributes { get }

    /// The bytes that an item stores.
    var storedValue: Data { get }

    /// The label of an item that is given none.
    var inferredLabel: AttributeValue? { get }

    /// Rebuilds the object of an item; `nil` if its bytes make none.
    init?(stored value: Data, attributes: Attributes)
}

extension StorableObject {
    package var inferredLabel: AttributeValue? { nil }
}

extension Attributes {
    /// Adds what follows from an object; attributes that are present already win.
    package mutating func complete(from object: any StorableObject) {
        fill(from: object.derivedAttributes)
        if self[.label] == nil { self[.label] = object.inferredLabel }
    }
}

extension NewItem {
    /// An item that holds an object, with the attributes that follow from it.
    package init(_ object: any StorableObject, attributes: Attributes) {
        var attributes = attributes
        attributes.complete(from: object)
        self.init(
            itemClass: type(of: object).itemClass,
            attributes: attributes,
            secret: object.storedValue
        )
    }
}
