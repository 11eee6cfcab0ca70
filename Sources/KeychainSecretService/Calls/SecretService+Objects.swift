// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainClient
import KeychainModel

extension SecretService {
    /// Returns the paths of the items with these attributes, unlocked and locked.
    ///
    /// Until this service has found the keychain unlocked, its items are unknown. The result then has one more locked
    /// path, which stands for the search; after an unlock, it is the path of the first item found. Only a search in
    /// the collection `session` has no such path.
    func search(
        _ attributes: [String: String],
        in collection: String?,
        for client: Client
    ) -> (unlocked: [String], locked: [String]) {
        let found = directory.search(attributes, in: collection, for: client.scope)
        var (unlocked, locked) = ([] as [String], [] as [String])
        for item in found {
            if directory.isLocked(item) { locked.append(item.path) } else { unlocked.append(item.path) }
        }
        if !directory.isLoaded, directory.isLocked, collection != ServiceCollection.session {
            let path = ObjectPath.item(
                collection: collection ?? ServiceCollection.login,
                id: client.remember(PendingSearch(attributes: attributes, collection: collection))
            )
            locked.append(path.text)
        }
        return (unlocked, locked)
    }

    /// Returns the item of a path; `nil` if the client does not see one there.
    ///
    /// If the path stands for a search, the result is the first item found or, until the items are known, a locked
    /// placeholder.
    func item(_ object: ObjectPath, for client: Client) -> ServiceItem? {
        guard case .item(let collection, let id) = object else { return nil }
        if let item = directory.item(id, in: collection, for: client.scope) { return item }
        guard let search = client.search(id) else { return nil }
        if directory.isLoaded {
            return directory.search(search.attributes, in: search.collection, for: client.scope).first
        }
        return ServiceItem(
            id: id,
            collection: collection,
            owner: client.scope.owner,
            label: "",
            attributes: search.attributes,
            contentType: "text/plain",
            created: 0,
            modified: 0
        )
    }

    /// Whether a path names an item or a collection that the client sees.
    func knows(_ path: String, _ client: Client) -> Bool {
        guard let object = ObjectPath(path) else { return false }
        if item(object, for: client) != nil { return true }
        return (try? Call(service: self, client: client, object: object).collection()) != nil
    }

    /// Whether a path names a locked item or collection; false if it names neither.
    func isLocked(_ path: String, _ client: Client) -> Bool {
        guard let object = ObjectPath(path) else { return false }
        if let item = item(object, for: client) { return directory.isLocked(item) }
        let collection = try? Call(service: self, client: client, object: object).collection()
        return collection.map { directory.isLocked($0.name) } ?? false
    }

    /// Whether a path names the collection `session` or one of its items.
    func isInMemory(_ path: String) -> Bool {
        switch ObjectPath(path) {
        case .collection(ServiceCollection.session), .alias(ServiceCollection.session),
            .item(ServiceCollection.session, _):
            true
        default: false
        }
    }

    /// Returns the path that an object has now; `nil` if the path is invalid, or the client sees no such item.
    ///
    /// The path of a search in a locked keychain becomes the path of the first item that the search finds after the
    /// unlock. Other paths stay the same.
    func current(_ path: String, _ client: Client) -> String? {
        guard let object = ObjectPath(path) else { return nil }
        if case .item = object { return item(object, for: client)?.path }
        return path
    }

    /// Locks the keychain; without a passcode, this has no effect.
    func lock() throws(CallError) {
        do throws(StatusError) {
            try SystemKeychain.lock()
        } catch {
            guard [.noPasscode, .passcodeNotSet, .storeMissing].contains(error.reason) else {
                throw CallError(error)
            }
        }
        try directory.refresh()
        tellLockState()
    }
}

/// A search whose result is unknown until the keychain is unlocked.
struct PendingSearch: Hashable {
    let attributes: [String: String]
    /// The collection; `nil` for all.
    let collection: String?
}

extension Client {
    private static let prefix = "locked"
    private static let limit = 64

    /// Returns the ID that stands for a search.
    func remember(_ search: PendingSearch) -> String {
        if let known = searches.first(where: { $0.value == search }) { return known.key }
        if searches.count >= Self.limit { searches.removeAll() }
        let id = "\(Self.prefix)\(searchCount)"
        searchCount += 1
        searches[id] = search
        return id
    }

    func search(_ id: String) -> PendingSearch? { id.hasPrefix(Self.prefix) ? searches[id] : nil }
}
#endif
