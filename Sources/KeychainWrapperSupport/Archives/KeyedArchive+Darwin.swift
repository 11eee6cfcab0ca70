// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// Decodes custom classes on Apple's platforms with `NSKeyedUnarchiver`.
extension KeyedArchive {
    /// Decodes the object of a key with Foundation, after the archive was checked.
    ///
    /// Foundation receives a new archive with only this key, in which objects of known classes have only the
    /// members that were checked.
    func foundationObject(forKey key: String, ofClasses classes: [AnyClass]) throws(KeyedArchiveError) -> Any
    {
        let name = Self.topKey(key)
        let list = Self.list(objects: objects.map(cleaned), top: [name: top[name] ?? .uid(0)])
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: list.binary) else { throw .malformed }
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        guard let object = unarchiver.decodeObject(of: classes + Self.foundationClasses, forKey: key) else {
            throw .wrongContent(of: classes.first.map { NSStringFromClass($0) } ?? "")
        }
        return object
    }

    private static var foundationClasses: [AnyClass] {
        [
            NSString.self, NSData.self, NSNumber.self, NSDate.self, NSURL.self, NSUUID.self, NSNull.self,
            NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
        ]
    }

    private func cleaned(_ object: PropertyList) -> PropertyList {
        guard case .dictionary(let fields) = object, let index = fields["$class"]?.uid,
            objects.indices.contains(index), let name = objects[index].dictionary?["$classname"]?.string,
            let row = ArchivedClass.table[name]
        else { return object }
        var kept: [String: PropertyList] = ["$class": .uid(UInt32(index))]
        for alternatives in row.content.members {
            guard let member = alternatives.first(where: { fields[$0] != nil }) else { continue }
            kept[member] = fields[member]
        }
        if row.content == .orderedSet { number(ArchivedClass.orderedElements(in: fields), in: &kept) }
        return .dictionary(kept)
    }

    /// Writes the elements of an ordered set in both encodings: `NS.objects` (Apple) and `NS.object.N` (Linux).
    private func number(_ elements: [PropertyList]?, in fields: inout [String: PropertyList]) {
        fields["NS.objects"] = .array(elements ?? [])
        for (index, element) in (elements ?? []).enumerated() { fields["NS.object.\(index)"] = element }
    }
}
#endif
