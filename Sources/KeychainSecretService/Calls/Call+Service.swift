// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainModel

/// The methods of `org.freedesktop.Secret.Service`.
extension Call {
    func openSession(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        guard client.sessions.count < Limits.sessionsPerClient else {
            throw .limit("the program has too many sessions")
        }
        let (session, output): (Session, BusValue)
        switch try message.string() {
        case Session.plain: (session, output) = (Session(key: nil), .string(""))
        case Session.encrypted:
            let peer = try message.variant("ay") { () throws(CallError) in try message.bytes().bytes }
            let agreed = try DiffieHellman.agree(with: peer)
            (session, output) = (Session(key: agreed.key), .bytes(agreed.publicKey))
        default: throw .unsupportedAlgorithm
        }
        let id = service.nextElement("s")
        client.sessions[id] = session
        return [.variant(output), .path(ObjectPath.session(id).text)]
    }

    func closeSession() throws(CallError) -> [BusValue] {
        guard case .session(let id) = object, client.sessions.removeValue(forKey: id) != nil else {
            throw .noSession
        }
        return []
    }

    func createCollection(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let label = try message.properties().label ?? ""
        let alias = try message.string()
        guard label.utf8.count <= Limits.label, alias.utf8.count <= Limits.label else {
            throw .limit("the text is too long")
        }
        // If the alias is set already, return its collection.
        if !alias.isEmpty, let known = service.directory.collection(alias: alias, for: scope) {
            return [.path(known.path), .noObject]
        }
        let create = { [self] () throws(CallError) -> BusValue in
            let collection = try service.directory.createCollection(label, scope.owner)
            if !alias.isEmpty {
                let alias = CollectionAlias(owner: scope.owner, name: alias)
                try service.directory.set(alias, to: collection)
            }
            service.tell("CollectionCreated", about: collection)
            return .path(collection.path)
        }
        guard service.directory.isLocked else { return [try create(), .noObject] }
        return [.noObject, try service.makePrompt(for: client, dismissed: .noObject, complete: create)]
    }

    func searchItems(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let found = service.search(try message.dictionary(), in: nil, for: client)
        return [.paths(found.unlocked), .paths(found.locked)]
    }

    func readAlias(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let collection = service.directory.collection(alias: try message.string(), for: scope)
        return [collection.map { .path($0.path) } ?? .noObject]
    }

    func setAlias(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let (name, path) = (try message.string(), try message.objectPath())
        guard !name.isEmpty, name.utf8.count <= Limits.label, !name.contains("/") else {
            throw .invalidArguments
        }
        guard !service.directory.isLocked else { throw .isLocked }
        let alias = CollectionAlias(owner: scope.owner, name: name)
        if path == "/" {
            try service.directory.set(alias, to: nil)
            return []
        }
        guard let target = ObjectPath(path) else { throw .noSuchObject }
        let collection = try Call(service: service, client: client, object: target).collection()
        try service.directory.set(alias, to: collection)
        return []
    }

    func unlock(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let known = try message.paths().filter { service.knows($0, client) }
        let locked = known.filter { service.isLocked($0, client) }
        let unlocked = known.filter { !locked.contains($0) }
        guard !locked.isEmpty else { return [.paths(unlocked), .noObject] }
        let prompt = try service.makePrompt(for: client, dismissed: .paths([])) {
            [service, client] () throws(CallError) in
            .paths(locked.compactMap { service.current($0, client) })
        }
        return [.paths(unlocked), prompt]
    }

    /// Locks the whole keychain if the client names a collection or item in it: all collections have one passcode.
    func lock(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let paths = try message.paths().filter { service.knows($0, client) && !service.isInMemory($0) }
        if !paths.isEmpty { try service.lock() }
        // Without a passcode, nothing can be locked.
        return [.paths(paths.filter { service.isLocked($0, client) }), .noObject]
    }

    func secrets(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        let (paths, path) = (try message.paths(), try message.objectPath())
        let session = try session(path)
        var secrets: [ItemSecret] = []
        for item in paths {
            guard let object = ObjectPath(item), let found = service.item(object, for: client),
                !service.directory.isLocked(found)
            else { continue }
            let value: SecretBuffer
            do throws(CallError) {
                value = try service.directory.secret(of: found)
            } catch .noSuchObject {
                // Another program has deleted the item meanwhile.
                continue
            }
            secrets.append(
                ItemSecret(path: item, secret: try session.transfer(value, found.contentType, by: path))
            )
        }
        return [.secrets(secrets)]
    }
}
#endif
