// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Tests whether an item matches a filter, first by columns, then by decrypted attributes.
struct ItemTest {
    let filter: ItemFilter
    private let schema: ItemSchema
    /// The digests of the access groups in scope; `nil` for every group.
    let groups: [Bytes8]?
    private let protection: ProtectionClass?

    init(_ filter: ItemFilter, groups: [Bytes8]?) {
        self.filter = filter
        self.groups = groups
        schema = ItemSchema.of(filter.itemClass)
        if case .string(let name)? = filter.attributes[.accessible] {
            protection = ProtectionClass(name: name)
        } else {
            protection = nil
        }
    }

    /// Returns false if the columns of a row exclude a match.
    func mayMatch(_ columns: ItemColumns) -> Bool {
        guard columns.itemClass == filter.itemClass, columns.tombstone == filter.tombstones,
            groups?.contains(columns.accessGroup) ?? true,
            protection == nil || protection == columns.protection
        else { return false }
        return mayMatch(synchronizable: columns.synchronizable)
    }

    func mayMatch(synchronizable: Bool) -> Bool {
        switch filter.synchronizable {
        case .any: true
        case .exactly(let wanted): synchronizable == wanted
        case .unspecified: filter.reference != nil || !synchronizable
        }
    }

    /// Returns false if the digests of a row's searchable attributes exclude a match.
    ///
    /// - Parameters:
    ///   - columns: The columns of the item's row.
    ///   - required: The digests that the row must have.
    ///   - byIdentity: Whether the row was found by the digest of its primary key, so that the primary key
    ///     need not be compared again.
    /// - Returns: Whether the row may match; true if its digests are damaged.
    func mayMatch(
        _ columns: ItemColumns,
        requiring required: [IndexEntries.Entry],
        byIdentity: Bool
    ) -> Bool {
        let absent = byIdentity ? [] : defaulted
        guard !required.isEmpty || !absent.isEmpty else { return true }
        guard let present = IndexEntries(columns.digests) else {
            // A row with damaged digests may match; decrypting it then throws the error.
            return true
        }
        return required.allSatisfy(present.entries.contains)
            && !present.entries.contains { absent.contains($0.attribute) }
    }

    func matches(_ item: OpenedItem) -> Bool {
        for entry in filter.attributes.entries {
            guard let rule = schema[entry.attribute] else { return false }
            let value: AttributeValue? =
                switch entry.attribute {
                // These attributes are columns of the row, which have been compared already.
                case .accessible, .tombstone: entry.value
                case .multiUser: .data([])
                case .sha1: .data(ItemSealer.changeDigest(of: item))
                case .uuid: .string(item.row.columns.item.uuidString)
                default: item.attributes[entry.attribute]
                }
            guard let value, rule.kind.equal(value, entry.value) else { return false }
        }
        guard let host = filter.hostOrSubdomain else { return true }
        guard case .string(let name)? = item.attributes[.server] else { return false }
        let (server, exact, suffix) = (name.utf8, host.utf8, ("." + host).utf8)
        return server.elementsEqual(exact) || server.suffix(suffix.count).elementsEqual(suffix)
    }

    /// The searchable attributes of the filter that do not have their default values.
    ///
    /// Matching rows contain digests of their values.
    var searchable: [(rule: AttributeRule, value: AttributeValue)] {
        filter.attributes.entries.compactMap { entry in
            guard let rule = schema[entry.attribute], rule.traits.contains(.searchable),
                rule.initial.map({ rule.kind.equal($0, entry.value) }) != true
            else { return nil }
            return (rule, entry.value)
        }
    }

    /// Whether the filter contains an attribute that the attribute index covers.
    var usesIndex: Bool { searchable.contains { $0.rule.attribute.hasManyValues } }

    /// The attributes in `searchable` that are not part of the primary key.
    var searchableBesideIdentity: [(rule: AttributeRule, value: AttributeValue)] {
        // Return early: most filters that name an item contain its primary key only.
        guard filter.attributes.bits & ~schema.uniqueBits != 0 else { return [] }
        return searchable.filter { !$0.rule.traits.contains(.unique) }
    }

    /// The searchable attributes that the filter requires to have their default value.
    ///
    /// Rows contain no digests of default values.
    private var defaulted: [Attribute] {
        filter.attributes.entries.compactMap { entry in
            guard let rule = schema[entry.attribute], rule.traits.contains(.searchable),
                let initial = rule.initial, rule.kind.equal(initial, entry.value)
            else { return nil }
            return entry.attribute
        }
    }

    /// Whether the filter has all required primary key attributes of the class.
    var namesIdentity: Bool { filter.attributes.bits & schema.requiredBits == schema.requiredBits }

    /// Returns whether the filter tests only columns and digests, so that a row need not be decrypted.
    func isDecided(byDigestsOf required: [IndexEntries.Entry], identity: Bool) -> Bool {
        filter.hostOrSubdomain == nil
            && filter.attributes.entries.allSatisfy { entry in
                [.accessGroup, .accessible, .tombstone, .multiUser].contains(entry.attribute)
                    || required.contains { $0.attribute == entry.attribute }
                    || identity && schema[entry.attribute]?.traits.contains(.unique) == true
            }
    }
}
