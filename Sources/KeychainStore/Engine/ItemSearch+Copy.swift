// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Finds items and returns their contents, as SecItemCopyMatching does.
///
/// Source: Apple's published Security sources.
extension ItemSearch {
    func copy(_ request: CopyRequest, _ scope: AccessScope) throws(StatusError) -> [FoundItem] {
        try session.checkFilesUnreplacedThrottled()
        guard request.filter.itemClass.isStored, request.limit.count > 0 else {
            throw StatusError(.itemNotFound)
        }
        guard case .groups(let groups) = scope, let header = session.rows.logHeader else {
            return try find(request, scope)
        }
        let hash = SearchCache.hash(of: request)
        if let cached = session.cache.result(of: request, in: groups, hash: hash, at: header) {
            return try found(cached.items, returning: request.returning)
        }
        session.cache.beginRecording(hash: hash)
        // A search that fails ends the recording, too.
        defer { session.cache.cancelRecording() }
        let found = try find(request, scope)
        session.cache.endRecording(of: request, in: groups, hash: hash, at: header)
        return found
    }

    private func find(_ request: CopyRequest, _ scope: AccessScope) throws(StatusError) -> [FoundItem] {
        if let item = try copyNamed(request, scope) { return [item] }
        let wanted = request.limit.count
        var found: [FoundItem] = []
        let options = SearchOptions(
            secrets: request.returning.needValue(of: request.filter.itemClass),
            exhaustive: request.limit == .all,
            skipsConstrained: request.skipsConstrained
        )
        try session.rows.read { () throws(StatusError) in
            try forEachMatch(request.filter, scope, options) { match throws(StatusError) in
                guard let item = match.item else { return true }
                try found.append(recording(item, returning: request.returning))
                return found.count < wanted
            }
        }
        guard !found.isEmpty else { throw StatusError(.itemNotFound) }
        return found
    }

    /// Returns the requested contents of an item, and records the item for the search cache.
    ///
    /// An item with an access control ends the recording, so the result is not cached.
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

    /// Returns the contents of cached items; throws if a protection class of one is locked by now.
    private func found(_ cached: [CachedItem], returning: ReturnKeys) throws(StatusError) -> [FoundItem] {
        var found: [FoundItem] = []
        found.reserveCapacity(cached.count)
        for item in cached {
            switch item {
            case .complete(let item):
                _ = try session.state.keys.classKey(for: item.accessControl.protection)
                found.append(item)
            case .sealed(let sealed):
                guard let attributes = sealed.attributes else {
                    guard let item = try foundByValueAlone(sealed.row) else {
                        throw StatusError(.undecodable, .recordDamaged)
                    }
                    found.append(item)
                    continue
                }
                let item = OpenedItem(
                    row: sealed.row,
                    attributes: attributes,
                    secretTag: sealed.secretTag,
                    keyWrapper: nil,
                    boxKeys: try session.state.keys.classKey(for: sealed.row.columns.protection)
                )
                try found.append(self.found(item, returning: returning))
            }
        }
        return found
    }

    /// Reads the item that a query for one item selects by primary key; `nil` to use the general search.
    ///
    /// One statement reads the row, so no explicit transaction is needed. The general search also handles a
    /// miss.
    private func copyNamed(_ request: CopyRequest, _ scope: AccessScope) throws(StatusError) -> FoundItem? {
        guard [.one, .unambiguous].contains(request.limit), case .groups(let names) = scope,
            names.count == 1, request.filter.reference == nil
        else { return nil }
        let group = session.store.digest(ofGroup: names[0])
        let test = ItemTest(request.filter, groups: [group])
        guard test.namesIdentity else { return nil }
        let identity = session.store.keys.index.identity(
            of: request.filter.itemClass,
            request.filter.attributes,
            in: group,
            synchronizable: !test.mayMatch(synchronizable: false)
        )
        let needsValue = request.returning.needValue(of: request.filter.itemClass)
        let needsOnlyValue = request.returning == .data && test.isDecidedByIdentity
        var found: FoundItem?
        try session.rows.forEachRow(.identity(identity), secrets: needsValue) { stored throws(StatusError) in
            if needsOnlyValue, test.mayMatch(stored.row.columns) {
                try session.refresh()
                found = try foundByValueAlone(stored.row)
            }
            if found != nil {
                session.cache.record(.sealed(SealedItem(stored.row, attributes: nil, secretTag: nil)))
            } else {
                let required = entries(of: test.searchableBesideIdentity, request.filter.itemClass, in: group)
                let options = SearchOptions(skipsConstrained: request.skipsConstrained)
                let match = try match(stored, test, required, options, byIdentity: true)
                if let item = match?.item { found = try recording(item, returning: request.returning) }
            }
            return false
        }
        return found
    }

    /// Returns an item with only its value decrypted; `nil` if its attributes must be decrypted first.
    private func foundByValueAlone(_ row: ItemRow) throws(StatusError) -> FoundItem? {
        guard let secret = try sealer.decryptedValueOnly(of: row, with: session.state.keys) else {
            return nil
        }
        return FoundItem(
            reference: PersistentReference(itemClass: row.columns.itemClass, item: row.columns.item),
            attributes: Attributes(),
            accessControl: AccessControl(protection: row.columns.protection),
            secret: secret
        )
    }

    /// Where the value of a result comes from.
    enum ValueSource {
        case sealed
        case known(SecretBuffer?)
    }

    /// Returns the requested contents of a decrypted item.
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
