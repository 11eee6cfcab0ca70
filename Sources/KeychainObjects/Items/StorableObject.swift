// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A key or certificate that can be the value of an item.
package protocol StorableObject: Sendable {
    static var itemClass: ItemClass { get }

    /// The attributes derived from the object; attributes in the caller's dictionary override them.
    var derivedAttributes: Attributes { get }

    var storedValue: SecretBuffer { get }

    /// The label of an item for which the caller specifies none; `nil` if the object suggests no label.
    var inferredLabel: AttributeValue? { get }

    /// Creates the object of a stored item; `nil` if its value cannot be decoded.
    init?(stored value: SecretBuffer, attributes: Attributes)
}

extension StorableObject {
    package var inferredLabel: AttributeValue? { nil }
}

extension Attributes {
    /// Adds the attributes derived from an object, keeping existing ones.
    package mutating func complete(from object: any StorableObject) {
        fill(from: object.derivedAttributes)
        if self[.label] == nil { self[.label] = object.inferredLabel }
    }
}

extension NewItem {
    /// Creates an item whose value is the object, with the attributes that are derived from the object.
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
