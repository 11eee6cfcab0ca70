// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection of Foundation or Swift, read without converting its elements.
///
/// On Linux, reading an element of an `NSArray` or `NSSet` converts it and everything in it to Swift types; casting a
/// Swift collection to a class converts all of it to objects. Traversing nested collections like that takes quadratic
/// time, and a collection that contains itself ends the process. This type avoids both conversions.
struct Container {
    enum Kind {
        case array, set, orderedSet, dictionary
    }

    let kind: Kind
    let isMutable: Bool
    /// The elements; for a dictionary, its values.
    let elements: [Any]
    /// The keys of a dictionary, in the order of its values; empty for other collections.
    let keys: [Any]

    /// Creates a container; `nil` for a value that is not a collection.
    init?(_ value: Any) {
        if let collection = value as? any SwiftCollection {
            self.init(
                collection.kind,
                isMutable: false,
                collection.storedElements,
                keys: collection.storedKeys
            )
            return
        }
        switch value {
        case let array as NSArray:
            self.init(.array, isMutable: array.classForCoder == NSMutableArray.self, array.storedElements)
        case let set as NSSet:
            self.init(.set, isMutable: set.classForCoder == NSMutableSet.self, set.storedElements)
        case let set as NSOrderedSet:
            let isMutable = set.classForCoder == NSMutableOrderedSet.self
            self.init(.orderedSet, isMutable: isMutable, set.storedElements)
        case let dictionary as NSDictionary:
            let isMutable = dictionary.classForCoder == NSMutableDictionary.self
            let (keys, values) = dictionary.storedPairs
            self.init(.dictionary, isMutable: isMutable, values, keys: keys)
        default: return nil
        }
    }

    private init(_ kind: Kind, isMutable: Bool, _ elements: [Any], keys: [Any] = []) {
        self.kind = kind
        self.isMutable = isMutable
        self.elements = elements
        self.keys = keys
    }

    /// Checks the contents of a value against the parser limits.
    static func check(_ value: Any, limits: ParserLimits = ParserLimits()) throws(KeyedArchiveError) {
        var weight = 0
        try check(value, depth: 0, weight: &weight, limits)
    }

    private static func check(
        _ value: Any,
        depth: Int,
        weight: inout Int,
        _ limits: ParserLimits
    ) throws(KeyedArchiveError) {
        guard depth <= limits.depth else { throw .tooDeep }
        weight = try limits.adding(1, to: weight)
        guard let container = Container(value) else { return }
        for element in container.keys + container.elements {
            try check(element, depth: depth + 1, weight: &weight, limits)
        }
    }
}

/// A collection of the standard library that Foundation bridges.
protocol SwiftCollection {
    var kind: Container.Kind { get }
    var storedElements: [Any] { get }
    var storedKeys: [Any] { get }
}

extension SwiftCollection {
    var storedKeys: [Any] { [] }
}

extension Array: SwiftCollection {
    var kind: Container.Kind { .array }
    var storedElements: [Any] { self }
}

extension Set: SwiftCollection {
    var kind: Container.Kind { .set }
    var storedElements: [Any] { map(unwrapped) }
}

extension Dictionary: SwiftCollection {
    var kind: Container.Kind { .dictionary }
    var storedElements: [Any] { map(\.value) }
    var storedKeys: [Any] { map { unwrapped($0.key) } }
}

/// The value inside an `AnyHashable`; any other value unchanged.
private func unwrapped<Element: Hashable>(_ element: Element) -> Any {
    Element.self == AnyHashable.self ? (element as AnyHashable).base : element
}

// On Linux, a `Mirror` of one of Foundation's own collections contains the stored elements without converting
// them. A subclass may store its elements elsewhere, so its methods are called to read them.

extension NSArray {
    fileprivate var storedElements: [Any] {
        #if !canImport(Darwin)
        if [NSArray.self, NSMutableArray.self].contains(where: { $0 == type(of: self) }) {
            return Mirror(reflecting: self).children.map(\.value)
        }
        #endif
        return (0..<count).map { object(at: $0) }
    }
}

extension NSSet {
    fileprivate var storedElements: [Any] {
        #if !canImport(Darwin)
        if [NSSet.self, NSMutableSet.self, NSCountedSet.self].contains(where: { $0 == type(of: self) }) {
            return Mirror(reflecting: self).children.map(\.value)
        }
        #endif
        return allObjects
    }
}

extension NSOrderedSet {
    fileprivate var storedElements: [Any] {
        #if !canImport(Darwin)
        if [NSOrderedSet.self, NSMutableOrderedSet.self].contains(where: { $0 == type(of: self) }) {
            return Mirror(reflecting: self).children.map(\.value)
        }
        #endif
        return array
    }
}

extension NSDictionary {
    fileprivate var storedPairs: (keys: [Any], values: [Any]) {
        let keys = allKeys
        #if !canImport(Darwin)
        // `allKeys` and `allValues` have the same order, that of the hash table.
        if [NSDictionary.self, NSMutableDictionary.self].contains(where: { $0 == type(of: self) }) {
            return (keys, allValues)
        }
        #endif
        return (keys, keys.compactMap { object(forKey: $0) })
    }
}
