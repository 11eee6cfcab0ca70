// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// The items, collections and aliases of the keychain, and the collection `session`.
///
/// The items of `session` are only in memory. The attributes of all other items stay in memory while the keychain is
/// locked, so that locked items are found. Their secrets are read for each call.
struct ItemDirectory {
    private(set) var index = ItemIndex()
    private var collections: [String: ServiceCollection] = [:]
    private var aliases: [CollectionAlias: String] = [:]
    private var memory: [String: GuardedSecret] = [:]
    /// The number of changes of the store up to which the items in memory are current; `nil` before they are read.
    ///
    /// A change that only this service has made also advances the number.
    private var generation: UInt64?
    /// Whether the keychain was locked at the last check.
    private(set) var isLocked = false

    /// Whether the keychain's items have been read; `false` before the first unlock.
    var isLoaded: Bool { generation != nil }

    /// Checks the lock state; if the keychain is unlocked and its store has changed, reads the items again.
    ///
    /// The first call while the keychain is unlocked always reads them. Later calls read them again after every change
    /// of the store, also after an unlock, but not after changes that only this service has made.
    mutating func refresh() throws(CallError) {
        do throws(StatusError) {
            let status = try Self.status()
            isLocked = [.locked, .beforeFirstUnlock].contains(status?.lockState)
            let current = status?.generation ?? 0
            guard current != generation, !isLocked else { return }
            try load()
            generation = current
        } catch {
            throw CallError(error)
        }
    }

    private static func status() throws(StatusError) -> StoreStatus? {
        do throws(StatusError) {
            guard case .status(let status) = try SystemKeychain.perform(.status) else { return nil }
            return status
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return nil
        }
    }

    private mutating func load() throws(StatusError) {
        var loaded = ItemIndex()
        for item in index.all where item.collection == ServiceCollection.session { loaded.set(item) }
        (collections, aliases) = ([:], [:])
        for collection in ServiceCollection.standard { collections[collection.name] = collection }
        for found in try Self.records() {
            switch KeychainRecord(found.attributes) {
            case .item(let item): loaded.set(item)
            case .collection(let collection): collections[collection.name] = collection
            case .alias(let alias, let collection): aliases[alias] = collection
            case nil: continue
            }
        }
        index = loaded
    }

    private static func records() throws(StatusError) -> [FoundItem] {
        let filter = ItemFilter(itemClass: .genericPassword)
        do throws(StatusError) {
            return try items(CopyRequest(filter: filter, limit: .all, returning: .attributes))
        } catch {
            guard error.reason == .tooMuchWork else { throw error }
        }
        // The items do not fit into one message of the daemon: read them one by one.
        var found: [FoundItem] = []
        for version in try SystemKeychain.versions() where version.reference.itemClass == .genericPassword {
            let filter = ItemFilter(itemClass: .genericPassword, reference: version.reference)
            found += try items(CopyRequest(filter: filter, returning: .attributes))
        }
        return found
    }

    private static func items(_ request: CopyRequest) throws(StatusError) -> [FoundItem] {
        do throws(StatusError) {
            guard case .items(let items) = try SystemKeychain.perform(.copy(request)) else { return [] }
            return items
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}

extension ItemDirectory {
    /// The collections that a program with this scope sees, sorted by name.
    func collections(of scope: OwnerScope) -> [ServiceCollection] {
        let known = isLoaded ? Array(collections.values) : ServiceCollection.standard
        return known.filter { scope.sees($0.owner) }.sorted { $0.name < $1.name }
    }

    func collection(_ name: String, for scope: OwnerScope) -> ServiceCollection? {
        let found = collections[name] ?? ServiceCollection.standard.first { $0.name == name }
        return found.flatMap { scope.sees($0.owner) ? $0 : nil }
    }

    /// Returns the collection with an alias; `nil` if no collection that the program sees has the alias.
    ///
    /// An alias that the program has not set may have a default: `default` and `login` name the collection `login`, and
    /// `session` names the collection `session`.
    func collection(alias: String, for scope: OwnerScope) -> ServiceCollection? {
        for owner in scope.owners {
            if let name = aliases[CollectionAlias(owner: owner, name: alias)] {
                return collection(name, for: scope)
            }
        }
        let isStandard = [CollectionAlias.standard, ServiceCollection.login].contains(alias)
        if isStandard { return collection(ServiceCollection.login, for: scope) }
        return alias == ServiceCollection.session ? collection(alias, for: scope) : nil
    }

    mutating func createCollection(_ label: String, _ owner: String) throws(CallError) -> ServiceCollection {
        guard collections.count < Limits.collections else { throw .limit("there are too many collections") }
        let base = ObjectPath.element(for: label)
        var (name, number) = (base, 1)
        while collections[name] != nil {
            number += 1
            name = "\(base)_\(number)"
        }
        let now = SystemClock.unixMilliseconds / 1_000
        let collection = ServiceCollection(
            name: name,
            owner: owner,
            label: label,
            created: now,
            modified: now
        )
        try change { () throws(StatusError) in try Self.write(.collection(collection)) }
        collections[name] = collection
        return collection
    }

    mutating func rename(_ collection: ServiceCollection, _ label: String) throws(CallError) {
        var collection = collection
        collection.label = label
        try change { () throws(StatusError) in try Self.write(.collection(collection)) }
        collections[collection.name] = collection
    }

    /// Deletes a collection, all its aliases, and the items in it that the program sees.
    ///
    /// The collections `login` and `session` themselves remain, with the aliases that other programs gave them.
    ///
    /// - Returns: The deleted items.
    mutating func delete(
        _ collection: ServiceCollection,
        for scope: OwnerScope
    ) throws(CallError) -> [ServiceItem] {
        let items = index.search([:]) { $0.collection == collection.name && scope.sees($0.owner) }
        for item in items { try delete(item) }
        if !collection.owner.isEmpty {
            try change { () throws(StatusError) in try Self.erase(.collection(collection)) }
            collections[collection.name] = nil
        }
        for (alias, name) in aliases
        where name == collection.name && (!collection.owner.isEmpty || scope.sees(alias.owner)) {
            try set(alias, to: nil)
        }
        return items
    }

    mutating func set(_ alias: CollectionAlias, to collection: ServiceCollection?) throws(CallError) {
        let record = KeychainRecord.alias(alias, collection: collection?.name ?? "")
        let isKnown = aliases[alias] != nil
        try change { () throws(StatusError) in
            if collection != nil {
                try Self.write(record)
            } else if isKnown {
                try Self.erase(record)
            }
        }
        aliases[alias] = collection?.name
    }
}

extension ItemDirectory {
    func search(
        _ attributes: [String: String],
        in collection: String? = nil,
        for scope: OwnerScope
    ) -> [ServiceItem] {
        index.search(attributes) { item in
            scope.sees(item.owner) && (collection == nil || item.collection == collection)
        }
    }

    func item(_ id: String, in collection: String, for scope: OwnerScope) -> ServiceItem? {
        index[id].flatMap { $0.collection == collection && scope.sees($0.owner) ? $0 : nil }
    }

    /// Whether an item's secret cannot be read until the keychain is unlocked.
    func isLocked(_ item: ServiceItem) -> Bool { isLocked(item.collection) }

    func isLocked(_ collection: String) -> Bool { isLocked && collection != ServiceCollection.session }

    func secret(of item: ServiceItem) throws(CallError) -> SecretBuffer {
        if item.collection == ServiceCollection.session {
            guard let secret = memory[item.id] else { throw .noSuchObject }
            return secret.copy
        }
        let filter = ItemFilter(
            itemClass: .genericPassword,
            attributes: KeychainRecord.item(item).identity
        )
        do throws(StatusError) {
            guard let found = try Self.items(CopyRequest(filter: filter, returning: .data)).first else {
                throw StatusError(.itemNotFound)
            }
            return found.secret ?? SecretBuffer()
        } catch {
            throw CallError(error)
        }
    }

    /// Adds an item, or replaces the item with the same ID; without `secret`, keeps the stored secret.
    ///
    /// - Returns: The item with its new dates.
    mutating func write(_ item: ServiceItem, _ secret: SecretBuffer?) throws(CallError) -> ServiceItem {
        var item = item
        let now = SystemClock.unixMilliseconds / 1_000
        item.modified = now
        let isNew = index[item.id] == nil
        if isNew { item.created = now }
        if item.collection == ServiceCollection.session {
            guard !isNew || memory.count < Limits.memoryItems else {
                throw .limit("the collection in memory has too many items")
            }
            if let secret { memory[item.id] = GuardedSecret(secret) }
        } else {
            let record = KeychainRecord.item(item)
            try change { () throws(StatusError) in
                if isNew {
                    try Self.add(record, secret)
                } else {
                    try Self.update(record, secret)
                }
            }
        }
        index.set(item)
        return item
    }

    /// Adds items to the keychain in one transaction.
    func add(_ items: [(item: ServiceItem, secret: SecretBuffer)]) throws(CallError) {
        let changes = items.map { Request.add(Self.newItem(.item($0.item), $0.secret)) }
        do throws(StatusError) {
            try SystemKeychain.perform(together: changes, progress: { _ in true })
        } catch {
            throw CallError(error)
        }
    }

    mutating func delete(_ item: ServiceItem) throws(CallError) {
        if item.collection == ServiceCollection.session {
            memory[item.id] = nil
        } else {
            try change { () throws(StatusError) in try Self.erase(.item(item)) }
        }
        index.remove(item.id)
    }

    /// Changes the store; the next ``refresh()`` need not read all items again because of this change.
    private mutating func change(_ body: () throws(StatusError) -> Void) throws(CallError) {
        do throws(StatusError) {
            try body()
            // If the store's number of changes rose by more than one, another program has changed the store too.
            if let known = generation, let current = try Self.status()?.generation, current == known + 1 {
                generation = current
            }
        } catch {
            throw CallError(error)
        }
    }

    private static func write(_ record: KeychainRecord) throws(StatusError) {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: record.identity)
        let set = SetRequest(
            update: UpdateRequest(filter: filter, attributes: record.content),
            item: newItem(record, nil)
        )
        _ = try SystemKeychain.perform(.set(set))
    }

    private static func add(_ record: KeychainRecord, _ secret: SecretBuffer?) throws(StatusError) {
        _ = try SystemKeychain.perform(.add(newItem(record, secret ?? SecretBuffer())))
    }

    private static func newItem(_ record: KeychainRecord, _ secret: SecretBuffer?) -> NewItem {
        var attributes = record.content
        attributes.fill(from: record.identity)
        attributes[.accessible] = .string(ProtectionClass.whenUnlocked.name)
        return NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret)
    }

    private static func update(_ record: KeychainRecord, _ secret: SecretBuffer?) throws(StatusError) {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: record.identity)
        let update = UpdateRequest(filter: filter, attributes: record.content, secret: secret)
        _ = try SystemKeychain.perform(.update(update))
    }

    private static func erase(_ record: KeychainRecord) throws(StatusError) {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: record.identity)
        do throws(StatusError) {
            _ = try SystemKeychain.perform(.delete(DeleteRequest(filter: filter)))
        } catch {
            guard error.status == .itemNotFound else { throw error }
        }
    }
}

/// A secret of the collection `session`, in memory that is locked into RAM if the system permits it.
private final class GuardedSecret: Sendable {
    private let bytes: SecretBytes

    init(_ secret: SecretBuffer) {
        unsafe bytes = SecretBytes(count: secret.count) { copy in
            unsafe secret.withUnsafeBytes { unsafe copy.copyMemory(from: $0) }
        }
    }

    var copy: SecretBuffer { unsafe bytes.withBytes { unsafe SecretBuffer(copying: $0) } }
}
