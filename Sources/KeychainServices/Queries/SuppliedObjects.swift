// SPDX-License-Identifier: Apache-2.0

import Foundation

// What callers' collections hold, as the objects that they are. Every other way to them, a cast, a subscript and an
// enumeration included, first makes Swift's own types of them and of all that they hold in turn: of data byte by byte,
// and of an array that holds itself without end.

extension NSArray {
    var objects: [Any] {
        let isOfFoundation = type(of: self) == NSArray.self || type(of: self) == NSMutableArray.self
        return isOfFoundation ? customMirror.children.map(\.value) : (0..<count).map { object(at: $0) }
    }
}

extension NSDictionary {
    var pairs: Zip2Sequence<[Any], [Any]> { zip(allKeys, allValues) }

    /// The object of a key that is a text, found by looking at all of them: there are few.
    func object(named name: NSString) -> Any? {
        pairs.first { (String(exactly: $0.0) ?? $0.0 as? String) == name.description }?.1
    }
}
