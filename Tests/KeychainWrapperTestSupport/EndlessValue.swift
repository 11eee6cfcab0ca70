// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Collections that contain themselves, or are nested thousands of levels deep.
package enum EndlessValue: String, CaseIterable, Sendable {
    case arrayInItself, arrayTwiceInItself, dictionaryInItself, orderedSetInItself, setInItsElement
    case twoArraysInEachOther
    case objects, swiftArrays, swiftDictionaries

    /// Calls `body` with the value, and breaks the value's reference cycles afterwards.
    package func use(_ body: (Any) throws -> Void) rethrows {
        let array = NSMutableArray()
        let other = NSMutableArray()
        let dictionary = NSMutableDictionary()
        let orderedSet = NSMutableOrderedSet()
        let set = NSMutableSet()
        defer {
            array.removeAllObjects()
            dictionary.removeAllObjects()
            orderedSet.removeAllObjects()
        }
        switch self {
        case .arrayInItself:
            array.add(array)
            try body(array)
        case .arrayTwiceInItself:
            array.addObjects(from: ["canary", 1])
            array.add(array)
            array.add(array)
            try body(array)
        case .dictionaryInItself:
            dictionary.setObject(dictionary, forKey: NSString(string: "key"))
            try body(dictionary)
        case .orderedSetInItself:
            orderedSet.add(orderedSet)
            try body(orderedSet)
        case .setInItsElement:
            set.add(array)
            array.add(set)
            try body(set)
        case .twoArraysInEachOther:
            array.add(other)
            other.add(array)
            try body(array)
        case .objects: try useObjects(body)
        case .swiftArrays: try body((0..<5_000).reduce(["canary"] as [Any]) { inner, _ in [inner] })
        case .swiftDictionaries:
            try body((0..<5_000).reduce(["key": "canary"] as [String: Any]) { inner, _ in ["key": inner] })
        }
    }

    private func useObjects(_ body: (Any) throws -> Void) rethrows {
        let levels = (0..<20_000).map { _ in NSMutableArray() }
        for (outer, inner) in zip(levels, levels.dropFirst()) { outer.add(inner) }
        // Releases the levels one by one from the outside: releasing the outermost would recurse once per
        // level.
        defer { for level in levels { level.removeAllObjects() } }
        if let outermost = levels.first { try body(outermost) }
    }
}
