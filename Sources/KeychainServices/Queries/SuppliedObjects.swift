// SPDX-License-Identifier: Apache-2.0

import Foundation

// These functions read collections without bridging their elements. Casts, subscripts and enumeration would
// first convert all elements recursively to Swift types. This would copy data in single bytes, and would
// never end for an array that contains itself.

extension NSArray {
    var objects: [Any] {
        let isOfFoundation = type(of: self) == NSArray.self || type(of: self) == NSMutableArray.self
        return isOfFoundation ? customMirror.children.map(\.value) : (0..<count).map { object(at: $0) }
    }
}

extension NSDictionary {
    var pairs: Zip2Sequence<[Any], [Any]> { zip(allKeys, allValues) }

    /// Returns the object for a string key; searches linearly, because dictionaries are small.
    func object(named name: NSString) -> Any? {
        pairs.first { (String(exactly: $0.0) ?? $0.0 as? String) == name.description }?.1
    }
}
