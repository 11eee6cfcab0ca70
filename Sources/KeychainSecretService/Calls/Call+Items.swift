// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainModel

/// The methods of collections, items and prompts.
extension Call {
    func searchCollection(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let found = service.search(try message.dictionary(), in: try collection().name, for: client)
        return [.paths(found.unlocked + found.locked)]
    }

    func deleteCollection() throws(CallError) -> [BusValue] {
        let collection = try collection()
        let delete = { [service, scope] () throws(CallError) -> BusValue in
            for item in try service.directory.delete(collection, for: scope) {
                service.tell("ItemDeleted", about: item)
            }
            if !collection.owner.isEmpty { service.tell("CollectionDeleted", about: collection) }
            return .string("")
        }
        return [try whenUnlocked(collection.name, delete)]
    }

    func deleteItem() throws(CallError) -> [BusValue] {
        let item = try item()
        let delete = { [service, client, object] () throws(CallError) -> BusValue in
            // Find the item again. The path may stand for a search made before the first unlock; the item above is
            // then a placeholder, and which item the search finds is known only now.
            guard let item = service.item(object, for: client) else { throw .noSuchObject }
            try service.directory.delete(item)
            service.tell("ItemDeleted", about: item)
            return .string("")
        }
        return [try whenUnlocked(item.collection, delete)]
    }

    /// Calls the closure now, or after a prompt if the collection is locked.
    ///
    /// - Returns: The path of the prompt; the null object if no prompt is needed.
    private func whenUnlocked(
        _ collection: String,
        _ body: @escaping () throws(CallError) -> BusValue
    ) throws(CallError) -> BusValue {
        guard service.directory.isLocked(collection) else {
            _ = try body()
            return .noObject
        }
        return try service.makePrompt(for: client, dismissed: .string(""), complete: body)
    }

    func createItem(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let collection = try collection()
        let properties = try message.properties()
        let secret = try message.secret()
        let replaces = try message.boolean()
        let value = try value(of: secret)
        guard !service.directory.isLocked(collection.name) else { throw .isLocked }
        var attributes = properties.attributes ?? [:]
        if let schema = properties.schema, attributes["xdg:schema"] == nil {
            attributes["xdg:schema"] = schema
        }
        let label = properties.label ?? ""
        guard label.utf8.count <= Limits.label else { throw .limit("the label is too long") }
        let known = replaces ? itemToReplace(attributes, in: collection) : nil
        var item =
            known
            ?? ServiceItem(
                id: ServiceItem.newID(),
                collection: collection.name,
                owner: scope.owner,
                label: label,
                attributes: attributes,
                contentType: secret.contentType,
                created: 0,
                modified: 0
            )
        (item.label, item.contentType) = (label, secret.contentType)
        return [.path(try store(item, value, replacing: known).path), .noObject]
    }

    /// Returns the item that a new one with the same attributes replaces.
    private func itemToReplace(
        _ attributes: [String: String],
        in collection: ServiceCollection
    ) -> ServiceItem? {
        let found = service.directory.search(attributes, in: collection.name, for: scope)
        return found.first { $0.attributes == attributes }
            ?? found.first { item in
                item.owner == OwnerScope.imported
                    && ServiceItem.withoutGenericSchema(item.attributes) == attributes
            }
    }

    /// Stores an item with a secret, and tells the clients; those that do not see it any more learn that it is gone.
    ///
    /// An imported item belongs to the calling program from then on.
    private func store(
        _ item: ServiceItem,
        _ value: SecretBuffer,
        replacing known: ServiceItem?
    ) throws(CallError) -> ServiceItem {
        var item = item
        if item.owner == OwnerScope.imported { item.owner = scope.owner }
        let stored = try service.directory.write(item, value)
        if known?.owner == stored.owner {
            service.tell("ItemChanged", about: stored)
        } else {
            if let known { service.tell("ItemDeleted", about: known) }
            service.tell("ItemCreated", about: stored)
        }
        return stored
    }

    func itemSecret(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let path = try message.objectPath()
        let session = try session(path)
        let item = try item()
        guard !service.directory.isLocked(item) else { throw .isLocked }
        let value = try service.directory.secret(of: item)
        return [.secret(try session.transfer(value, item.contentType, by: path))]
    }

    func setItemSecret(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let secret = try message.secret()
        let value = try value(of: secret)
        let known = try item()
        guard !service.directory.isLocked(known) else { throw .isLocked }
        var item = known
        item.contentType = secret.contentType
        _ = try store(item, value, replacing: known)
        return []
    }

    /// Returns the value of a secret that the client has sent, decrypted unless its session is plain.
    private func value(of secret: TransferredSecret) throws(CallError) -> SecretBuffer {
        guard secret.contentType.utf8.count <= 256 else { throw .invalidArguments }
        let value = try session(secret.session).receive(secret)
        guard value.count <= Limits.secret else {
            throw .limit("a secret has more than \(Limits.secret) bytes")
        }
        return value
    }

    func prompt() throws(CallError) -> [BusValue] {
        guard case .prompt(let id) = object, let prompt = client.prompts[id] else { throw .noSuchObject }
        guard !prompt.isStarted else { return [] }
        let (name, ended) = (client.name, service.promptEnded)
        prompt.start(for: client.identity.name) { isUnlocked in ended(name, id, isUnlocked) }
        return []
    }

    func dismissPrompt() throws(CallError) -> [BusValue] {
        guard case .prompt(let id) = object, let prompt = client.prompts[id] else { throw .noSuchObject }
        prompt.cancel()
        // The thread that shows a started prompt reports the prompt's end itself.
        if !prompt.isStarted { service.finish(id, of: client.name, isUnlocked: false) }
        return []
    }
}
#endif
