// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A dictionary for the API, made of objects from the start.
///
/// A Swift dictionary of `Any` would do too, but making it an `NSDictionary` takes a tenth of a whole command: the
/// first cast to each type searches every conformance of the program.
struct ItemDictionary {
    private(set) var entries: [(name: String, value: NSObject)] = []

    subscript(name: CFString) -> NSObject? {
        get { self[name as String] }
        set { self[name as String] = newValue }
    }

    subscript(name: String) -> NSObject? {
        get { entries.first { $0.name == name }?.value }
        set {
            entries.removeAll { $0.name == name }
            if let newValue { entries.append((name, newValue)) }
        }
    }

    var object: NSDictionary {
        let names: [NSObject] = entries.map { NSString(string: $0.name) }
        let values: [AnyObject] = entries.map(\.value)
        return unsafe values.withUnsafeBufferPointer { values in
            unsafe names.withUnsafeBufferPointer { names in
                unsafe NSDictionary(
                    objects: values.baseAddress,
                    forKeys: names.baseAddress,
                    count: names.count
                )
            }
        }
    }
}
