// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What `NSKeyedArchiver` wrote, before any object is made of it.
///
/// Foundation's own reader ends the process on Linux over an archive that holds itself, and over a dictionary with more
/// keys than values. This one knows the classes of ``knownClasses`` and makes their objects itself.
package struct KeyedArchive: Sendable {
    /// The classes that are read without Foundation, all of which may be named where a list of classes is asked for.
    package static let knownClasses: Set<String> = Set(ArchivedClass.table.keys)

    /// The key under which `archivedData(withRootObject:)` files its object.
    package static let rootKey = "root"

    let objects: [PropertyList]
    let top: [String: PropertyList]

    package init(_ data: Data, limits: ReadingLimits = ReadingLimits()) throws(KeyedArchiveError) {
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

    /// Whether a property list says that it is an archive, of whatever kind.
    package static func isArchive(_ list: PropertyList) -> Bool { list.dictionary?["$archiver"] != nil }

    /// The keys under which objects are filed, as callers spell them.
    package var keys: Set<String> { Set(top.keys.map { $0.hasPrefix("$") ? String($0.dropFirst()) : $0 }) }

    /// Keys that begin with `$` are filed under one more.
    func archivedObject(
        forKey key: String,
        allowing classes: Set<String>?,
        making types: [String: any NSSecureCoding.Type] = [:],
        limits: ReadingLimits
    ) throws(KeyedArchiveError) -> ArchivedObject {
        guard let index = top[Self.topKey(key)]?.uid else { throw .missingRoot }
        var reader = ArchiveReader(objects, allowing: classes, making: types, limits: limits)
        return try reader.object(index, depth: 0).value
    }

    static func topKey(_ key: String) -> String { key.hasPrefix("$") ? "$" + key : key }
}
