// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

/// Parses a binary property list, serializes it again, and converts it to Foundation objects and back.
func fuzzPropertyList(_ data: Data) {
    guard let list = try? PropertyList(binary: data) else { return }
    let written = list.binary
    precondition((try? PropertyList(binary: written))?.binary == written)
    guard let value = try? list.foundationValue() else { return }
    precondition((try? PropertyList(foundation: value, strippingNull: false)) != nil)
}

/// Decodes a keyed archive of Foundation objects and of ``FuzzedObject``.
func fuzzKeyedArchive(_ data: Data) {
    guard let archive = try? KeyedArchive(data) else { return }
    for key in archive.keys {
        _ = try? archive.object(forKey: key, allowing: ["NSString"])
        guard let object = try? archive.object(forKey: key, classes: [FuzzedObject.self]) else { continue }
        guard let written = try? KeyedArchive.data(archiving: object, forKey: key) else { continue }
        precondition((try? KeyedArchive(written))?.keys == [key])
    }
}

/// A class whose initializer decodes members of several types from a keyed archive.
final class FuzzedObject: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    private let members: [Any?]

    init?(coder: NSCoder) {
        members = [
            coder.decodeObject(of: NSString.self, forKey: "text"),
            coder.decodeObject(of: [NSArray.self, NSDictionary.self, FuzzedObject.self], forKey: "object"),
            coder.decodeObject(forKey: "any"), coder.decodePropertyList(forKey: "list"),
            coder.decodeInteger(forKey: "number"), coder.decodeInt32(forKey: "number"),
            coder.decodeBool(forKey: "number"), coder.decodeDouble(forKey: "number"),
            coder.decodeFloat(forKey: "number"), coder.containsValue(forKey: "text"),
        ]
    }

    func encode(with coder: NSCoder) {
        coder.encode(members[0], forKey: "text")
        coder.encode(members[1], forKey: "object")
    }
}
