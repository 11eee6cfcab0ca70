// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Finds items and returns their contents, as SecItemCopyMatching does.
///
/// Source: Apple's published Security sources.
extension ItemSearch {
    func copy(_ search: borrowing AuthorizedSearch) throws(StatusError) -> [FoundItem] {
        try session.checkFilesUnreplacedThrottled()
        guard search.request.filter.itemClass.isStored, search.request.limit.count > 0 else {
            throw StatusError(.itemNotFound)
        }
        guard case .groups(let groups) = search.scope, let header = session.rows.logHeader else {
            return try find(search.request, search.scope)
        }
        let hash = SearchCache.hash(of: search.request)
        if let cached = session.cache.result(of: search.request, in: groups, hash: hash, at: header) {
            return try cached.items.map { item throws(StatusError) in
                try content(of: item, returning: cached.returning)
            }
        }
        session.cache.beginRecording(hash: hash)
        let found = try find(search.request, search.scope)
        session.cache.endRecording(of: search.request, in: groups, hash: hash, at: header)
        return found
    }

    private func find(_ request: CopyRequest, _ scope: AccessScope) throws(StatusError) -> [FoundItem] {
        if case .groups(let names) = scope, names.count == 1, request.limit.isSingle {
            let group = session.digest(ofGroup: names[0])
            if let item = try findByIdentity(request, in: group) { return [item] }
        }
        let wanted = request.limit.count
        var (found, budget) = ([] as [FoundItem], ReplySize.Budget())
        let options = SearchOptions(
            secrets: request.returning.needValue(of: request.filter.itemClass),
            exhaustive: request.limit == .all,
            skipsConstrained: request.skipsConstrained
        )
        try session.rows.read { () throws(StatusError) in
            try forEachMatch(request.filter, scope, options) { match throws(StatusError) in
                guard let item = match.item else { return true }
                let result = try recording(item, returning: request.returning)
                try budget.count(result)
                found.append(result)
                return found.count < wanted
            }
        }
        guard !found.isEmpty else { throw StatusError(.itemNotFound) }
        return found
    }

    /// Returns the requested contents of an item, and records the item for the search cache.
    ///
    /// If the item has an access control, the result is not cached, and recording stops.
    private func recording(_ item: OpenedItem, returning: ReturnKeys) throws(StatusError) -> FoundItem {
        let found = try found(item, returning: returning)
        if item.keyWrapper != nil {
            session.cache.cancelRecording()
        } else if returning.needValue(of: item.row.columns.itemClass) {
            let sealed = SealedItem(item.row, attributes: item.attributes, secretTag: item.secretTag)
            session.cache.record(.sealed(sealed))
        } else {
            session.cache.record(.complete(found))
        }
        return found
    }

    /// Returns the contents of a cached item; throws if its protection class is locked now.
    private func content(of cached: CachedItem, returning: ReturnKeys) throws(StatusError) -> FoundItem {
        switch cached {
        case .complete(let item):
            _ = try session.state.keys.classKey(for: item.accessControl.protection)
            return item
        case .value(let value):
            return FoundItem(value.reference, value.protection, try value.open(with: session.state.keys))
        case .sealed(let sealed):
            let item = OpenedItem(
                row: sealed.row,
                attributes: sealed.attributes,
                secretTag: sealed.secretTag,
                keyWrapper: nil,
                boxKeys: try session.state.keys.classKey(for: sealed.row.columns)
            )
            return try found(item, returning: returning)
        }
    }

    /// Reads the item that a query for one item selects by its primary key.
    ///
    /// One statement reads the row, so no explicit transaction is needed. If the result is `nil`, because the query
    /// has no primary key or no row matches, the caller has to perform the general search.
    private func findByIdentity(
        _ request: CopyRequest,
        in group: Bytes8
    ) throws(StatusError) -> FoundItem? {
        if request.returning == .data, request.filter.isDecidedByIdentity {
            switch try findValue(request.filter, in: group) {
            case .found(let item): return item
            case .needsAttributes: break
            case nil: return nil
            }
        }
        guard request.filter.reference == nil else { return nil }
        let test = ItemTest(request.filter, groups: [group])
        guard test.namesIdentity else { return nil }
        let identity = session.store.keys.index.identity(
            of: request.filter.itemClass,
            request.filter.attributes,
            in: group,
            synchronizable: !test.mayMatch(synchronizable: false)
        )
        let needsValue = request.returning.needValue(of: request.filter.itemClass)
        var found: FoundItem?
        try session.rows.forEachRow(.identity(identity), secrets: needsValue) { stored throws(StatusError) in
            let required = entries(of: test.searchableBesideIdentity, request.filter.itemClass, in: group)
            let options = SearchOptions(skipsConstrained: request.skipsConstrained)
            let match = try match(stored, test, required, options, byIdentity: true)
            if let item = match?.item { found = try recording(item, returning: request.returning) }
            return false
        }
        return found
    }

    private enum ValueResult {
        case found(FoundItem)
        /// The item's attributes must be decrypted before its value.
        case needsAttributes
    }

    /// Decrypts only the value of an item; returns `nil` if there is no item with the primary key.
    private func findValue(_ filter: ItemFilter, in group: Bytes8) throws(StatusError) -> ValueResult? {
        let identity = session.store.keys.index.identity(
            of: filter.itemClass,
            filter.attributes,
            in: group,
            synchronizable: filter.synchronizable == .exactly(true)
        )
        return try session.rows.withValue(of: identity) { row throws(StatusError) in
            guard !row.tombstone, unsafe SecretRecord.isUnconstrained(row.record),
                row.synchronizable == (filter.synchronizable == .exactly(true))
            else { return .needsAttributes }
            try session.refresh()
            let data = ItemAssociatedData(ofValueIn: row, identity)
            let reference = PersistentReference(itemClass: filter.itemClass, item: row.item)
            let key = try session.state.keys.classKey(for: row.protection, row.keyParity).secrets
            let secret = unsafe data.withBytes(.secret) {
                unsafe SecretRecord.open(row.record, under: key, nil, $0)
            }
            guard let secret else { throw StatusError(.undecodable, .recordDamaged) }
            if session.cache.isRecording {
                let record = unsafe Array(row.record)
                let value = SealedValue(
                    reference,
                    row.protection,
                    row.keyParity,
                    record: record,
                    data
                )
                session.cache.record(.value(value))
            }
            return .found(FoundItem(reference, row.protection, secret))
        }
    }

    /// The source of a result's value: the item's encrypted value, or a value that the caller supplied.
    enum ValueSource {
        case sealed
        case known(SecretBuffer?)
    }

    func found(
        _ item: OpenedItem,
        returning: ReturnKeys,
        value: ValueSource = .sealed
    ) throws(StatusError) -> FoundItem {
        let columns = item.row.columns
        var secret: SecretBuffer?
        if returning.needValue(of: columns.itemClass) {
            secret =
                switch value {
                case .known(let value): value
                case .sealed: try sealer.decryptedValue(of: item)
                }
        }
        return FoundItem(
            reference: PersistentReference(itemClass: columns.itemClass, item: columns.item),
            attributes: returning.needsAttributes ? Self.allAttributes(of: item) : Attributes(),
            accessControl: item.accessControl,
            secret: secret
        )
    }

    static func allAttributes(of item: OpenedItem) -> Attributes {
        let columns = item.row.columns
        var attributes = item.attributes
        attributes[.synchronizable] = .number(columns.synchronizable ? 1 : 0)
        attributes[.accessible] = .string(columns.protection.name)
        attributes[.tombstone] = .number(columns.tombstone ? 1 : 0)
        attributes[.multiUser] = .data([])
        attributes[.sha1] = .data(ItemSealer.changeDigest(of: item))
        return attributes
    }
}

extension FoundItem {
    /// An item of which a search returns only the value.
    fileprivate init(_ reference: PersistentReference, _ protection: ProtectionClass, _ secret: SecretBuffer)
    {
        self.init(
            reference: reference,
            attributes: Attributes(),
            accessControl: AccessControl(protection: protection),
            secret: secret
        )
    }
}

extension ItemFilter {
    /// Whether the filter consists of a complete primary key, without other conditions.
    fileprivate var isDecidedByIdentity: Bool {
        guard reference == nil, hostOrSubdomain == nil, !tombstones, synchronizable != .any else {
            return false
        }
        let (schema, bits) = (ItemSchema.of(itemClass), attributes.bits)
        return bits & ~schema.uniqueBits == 0 && schema.requiredBits & ~bits == 0
    }
}
