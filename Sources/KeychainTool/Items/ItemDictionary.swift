// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
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

extension ScannedArguments {
    /// The class of an object, and the attributes that options give it; without a class only the attributes.
    func dictionary(ofClass itemClass: CFString?) throws(Failure) -> ItemDictionary {
        var dictionary = ItemDictionary()
        dictionary[kSecClass] = itemClass
        for occurrence in occurrences {
            guard let attribute = occurrence.option.attribute else { continue }
            dictionary[attribute.name] = try occurrence.option.suppliedValue(of: occurrence.value ?? "")
                .object
        }
        return dictionary
    }
}

extension SuppliedValue {
    fileprivate var object: NSObject? {
        switch self {
        case .boolean(let flag): flag ? kCFBooleanTrue : kCFBooleanFalse
        case .number(let number): NSNumber(value: number)
        case .text(let text): NSString(string: text)
        case .data(let data): NSData(data: data)
        case .fraction, .date, .uuid, .null, .other: nil
        }
    }
}
