// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A Foundation class whose objects are decoded without Foundation's decoder.
struct ArchivedClass: Sendable {
    enum Content: Sendable {
        case string, data, number, date, url, uuid, null, array, set, orderedSet, dictionary

        /// The names of the members; if one has several names, the first that is present is decoded.
        var members: [[String]] {
            switch self {
            case .string: [["NS.string", "NS.bytes"]]
            case .data: [["NS.data", "NS.bytes"]]
            case .number: [["NS.boolval", "NS.intval", "NS.dblval"]]
            case .date: [["NS.time"]]
            case .url: [["NS.base"], ["NS.relative"]]
            case .uuid: [["NS.uuidbytes"]]
            case .null: []
            case .array, .set, .orderedSet: [["NS.objects"]]
            case .dictionary: [["NS.keys"], ["NS.objects"]]
            }
        }
    }

    /// Returns the elements of an ordered set: `NS.objects` (Apple), or else `NS.object.N` (Linux).
    static func orderedElements(in fields: [String: PropertyList]) -> [PropertyList]? {
        if let list = fields["NS.objects"] { return list.array }
        return (0..<fields.count).lazy.map { fields["NS.object.\($0)"] }.prefix { $0 != nil }.compactMap {
            $0
        }
    }

    let name: String
    let content: Content
    let isMutable: Bool

    /// The name of the immutable class; allowing it also allows its mutable subclass.
    var immutableName: String { isMutable ? name.replacing("Mutable", with: "") : name }

    // swift-format-ignore
    static let table: [String: ArchivedClass] = {
        let rows: [(name: String, content: Content, isMutable: Bool)] = [
            ("NSString",            .string,     false),
            ("NSMutableString",     .string,     true),
            ("NSData",              .data,       false),
            ("NSMutableData",       .data,       true),
            ("NSNumber",            .number,     false),
            ("NSDate",              .date,       false),
            ("NSURL",               .url,        false),
            ("NSUUID",              .uuid,       false),
            ("NSNull",              .null,       false),
            ("NSArray",             .array,      false),
            ("NSMutableArray",      .array,      true),
            ("NSSet",               .set,        false),
            ("NSMutableSet",        .set,        true),
            ("NSOrderedSet",        .orderedSet, false),
            ("NSMutableOrderedSet", .orderedSet, true),
            ("NSDictionary",        .dictionary, false),
            ("NSMutableDictionary", .dictionary, true),
        ]
        return Dictionary(uniqueKeysWithValues: rows.map {
            ($0.name, ArchivedClass(name: $0.name, content: $0.content, isMutable: $0.isMutable))
        })
    }()
}
