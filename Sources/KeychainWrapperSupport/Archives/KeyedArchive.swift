// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A parsed `NSKeyedArchiver` archive, before its objects are decoded.
///
/// Creates objects of the ``knownClasses`` without Foundation's decoder. On Linux, that decoder ends the process
/// if an object contains itself, or if a dictionary has more keys than values.
package struct KeyedArchive: Sendable {
    /// The names of the classes that a caller can allow, and that are decoded without Foundation's decoder.
    package static let knownClasses: Set<String> = Set(ArchivedClass.table.keys)

    /// The key under which `archivedData(withRootObject:)` encodes its object.
    package static let rootKey = "root"

    let objects: [PropertyList]
    let top: [String: PropertyList]

    package init(_ data: Data, limits: ParserLimits = ParserLimits()) throws(KeyedArchiveError) {
        try self.init(PropertyList(binary: data, limits: limits))
    }

    package init(_ list: PropertyList) throws(KeyedArchiveError) {
        guard let content = list.dictionary, content["$archiver"]?.string == "NSKeyedArchiver",
            content["$version"] == .integer(100_000),
            let objects = content["$objects"]?.array, let top = content["$top"]?.dictionary
        else { throw .notAnArchive }
        self.objects = objects
        self.top = top
    }

    /// Whether a property list has the key `$archiver`, as every keyed archive does.
    package static func isArchive(_ list: PropertyList) -> Bool { list.dictionary?["$archiver"] != nil }

    /// The keys of the encoded objects, as passed to the archiver.
    package var keys: Set<String> { Set(top.keys.map { $0.hasPrefix("$") ? String($0.dropFirst()) : $0 }) }

    /// Decodes the object of a key.
    ///
    /// In the archive, a key that starts with `$` has another `$` before it.
    func archivedObject(
        forKey key: String,
        allowing classes: Set<String>?,
        making types: [String: any NSSecureCoding.Type] = [:],
        limits: ParserLimits
    ) throws(KeyedArchiveError) -> ArchivedObject {
        guard let index = top[Self.topKey(key)]?.uid else { throw .missingRoot }
        var reader = ArchiveReader(objects, allowing: classes, making: types, limits: limits)
        return try reader.object(index, depth: 0).value
    }

    static func topKey(_ key: String) -> String { key.hasPrefix("$") ? "$" + key : key }
}
