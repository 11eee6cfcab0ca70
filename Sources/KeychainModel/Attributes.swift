// SPDX-License-Identifier: Apache-2.0

/// The attributes of an item or a query, sorted by raw value.
package struct Attributes: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let attribute: Attribute
        package let value: AttributeValue

        package init(attribute: Attribute, value: AttributeValue) {
            self.attribute = attribute
            self.value = value
        }
    }

    package private(set) var entries: [Entry]

    package init() { entries = [] }

    package init(reservingCapacity capacity: Int) {
        entries = []
        entries.reserveCapacity(capacity)
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// Compares the entries in place; `==` of two arrays would copy each entry.
    package static func == (left: Self, right: Self) -> Bool {
        let (others, entries) = (right.entries.span, left.entries.span)
        guard entries.count == others.count else { return false }
        for index in entries.indices {
            guard entries[index].attribute == others[index].attribute,
                entries[index].value == others[index].value
            else { return false }
        }
        return true
    }

    /// The attributes as a bit set: bit `n` is set for the attribute with the raw value `n`.
    package var bits: UInt128 {
        var bits: UInt128 = 0
        for index in entries.indices { bits |= entries[index].attribute.bit }
        return bits
    }

    package subscript(attribute: Attribute) -> AttributeValue? {
        @inlinable get { index(of: attribute).map { entries[$0].value } }
        set {
            if let newValue, entries.last.map({ $0.attribute.rawValue < attribute.rawValue }) ?? true {
                // Most callers set the attributes in ascending order, so the new entry is usually the last one.
                return entries.append(Entry(attribute: attribute, value: newValue))
            }
            let place = entries.firstIndex { $0.attribute.rawValue >= attribute.rawValue } ?? entries.endIndex
            let exists = place < entries.endIndex && entries[place].attribute == attribute
            switch (newValue, exists) {
            case (let value?, true): entries[place] = Entry(attribute: attribute, value: value)
            case (let value?, false): entries.insert(Entry(attribute: attribute, value: value), at: place)
            case (nil, true): entries.remove(at: place)
            case (nil, false): break
            }
        }
    }

    @inlinable package func index(of attribute: Attribute) -> Int? {
        // A linear scan is faster than a hash table for a dozen entries.
        for index in entries.indices where entries[index].attribute == attribute { return index }
        return nil
    }

    /// Adds the attributes of another set that this set lacks.
    package mutating func fill(from others: Attributes) {
        for entry in others.entries where self[entry.attribute] == nil {
            self[entry.attribute] = entry.value
        }
    }
}
