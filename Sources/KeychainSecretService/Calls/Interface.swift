// SPDX-License-Identifier: Apache-2.0

#if SecretService
enum Interface: String, CaseIterable {
    case service = "org.freedesktop.Secret.Service"
    case collection = "org.freedesktop.Secret.Collection"
    case item = "org.freedesktop.Secret.Item"
    case session = "org.freedesktop.Secret.Session"
    case prompt = "org.freedesktop.Secret.Prompt"
    case portal = "org.freedesktop.impl.portal.Secret"

    var name: String { rawValue }

    func isOffered(by object: ObjectPath) -> Bool {
        switch (self, object) {
        case (.service, .service), (.collection, .collection), (.collection, .alias), (.item, .item),
            (.session, .session), (.prompt, .prompt), (.portal, .portal):
            true
        default: false
        }
    }

    /// The signals: name and argument types.
    var signals: [(name: String, types: [String])] {
        switch self {
        case .service: ["Created", "Deleted", "Changed"].map { ("Collection" + $0, ["o"]) }
        case .collection: ["Created", "Deleted", "Changed"].map { ("Item" + $0, ["o"]) }
        case .prompt: [("Completed", ["b", "v"])]
        case .item, .session, .portal: []
        }
    }

    /// The properties: name, type, and whether clients can set it.
    var properties: [(name: String, type: String, isWritable: Bool)] {
        switch self {
        case .service: [("Collections", "ao", false)]
        case .collection:
            [
                ("Items", "ao", false), ("Label", "s", true), ("Locked", "b", false), ("Created", "t", false),
                ("Modified", "t", false),
            ]
        case .item:
            [
                ("Locked", "b", false), ("Attributes", "a{ss}", true), ("Label", "s", true),
                ("Type", "s", true), ("Created", "t", false), ("Modified", "t", false),
            ]
        case .session, .prompt: []
        case .portal: [("version", "u", false)]
        }
    }
}

/// A D-Bus method of the Secret Service: a row of ``table``.
struct Method {
    let interface: Interface
    let name: String
    let inputs: [String]
    let outputs: [String]
    let answer: @Sendable (Call, borrowing IncomingMessage) throws(CallError) -> [BusValue]

    var input: String { inputs.joined() }

    fileprivate init(
        _ interface: Interface,
        _ name: String,
        _ inputs: [String],
        _ outputs: [String],
        _ answer: @escaping @Sendable (Call, borrowing IncomingMessage) throws(CallError) -> [BusValue]
    ) {
        (self.interface, self.name, self.inputs, self.outputs) = (interface, name, inputs, outputs)
        self.answer = answer
    }

    private static let secret = TransferredSecret.signature

    /// Every method of the Secret Service.
    ///
    /// ``Portal`` answers the methods of the portal, and ``PropertyCalls`` and ``SecretService`` those of the standard
    /// D-Bus interfaces. Source: the Secret Service API draft 0.2.
    static let table: [Self] = [
        .init(.service, "OpenSession", ["s", "v"], ["v", "o"]) { call, message throws(CallError) in
            try call.openSession(message)
        },
        .init(.service, "CreateCollection", ["a{sv}", "s"], ["o", "o"]) { call, message throws(CallError) in
            try call.createCollection(message)
        },
        .init(.service, "SearchItems", ["a{ss}"], ["ao", "ao"]) { call, message throws(CallError) in
            try call.searchItems(message)
        },
        .init(.service, "Unlock", ["ao"], ["ao", "o"]) { call, message throws(CallError) in
            try call.unlock(message)
        },
        .init(.service, "Lock", ["ao"], ["ao", "o"]) { call, message throws(CallError) in
            try call.lock(message)
        },
        .init(.service, "GetSecrets", ["ao", "o"], ["a{o\(secret)}"]) { call, message throws(CallError) in
            try call.secrets(message)
        },
        .init(.service, "ReadAlias", ["s"], ["o"]) { call, message throws(CallError) in
            try call.readAlias(message)
        },
        .init(.service, "SetAlias", ["s", "o"], []) { call, message throws(CallError) in
            try call.setAlias(message)
        },
        .init(.collection, "Delete", [], ["o"]) { call, _ throws(CallError) in try call.deleteCollection() },
        .init(.collection, "SearchItems", ["a{ss}"], ["ao"]) { call, message throws(CallError) in
            try call.searchCollection(message)
        },
        .init(.collection, "CreateItem", ["a{sv}", secret, "b"], ["o", "o"]) {
            call,
            message throws(CallError) in
            try call.createItem(message)
        },
        .init(.item, "Delete", [], ["o"]) { call, _ throws(CallError) in try call.deleteItem() },
        .init(.item, "GetSecret", ["o"], [secret]) { call, message throws(CallError) in
            try call.itemSecret(message)
        },
        .init(.item, "SetSecret", [secret], []) { call, message throws(CallError) in
            try call.setItemSecret(message)
        },
        .init(.session, "Close", [], []) { call, _ throws(CallError) in try call.closeSession() },
        .init(.prompt, "Prompt", ["s"], []) { call, _ throws(CallError) in try call.prompt() },
        .init(.prompt, "Dismiss", [], []) { call, _ throws(CallError) in try call.dismissPrompt() },
    ]
}

/// A call of a client on an object.
struct Call {
    let service: SecretService
    let client: Client
    let object: ObjectPath

    var scope: OwnerScope { client.scope }

    func collection() throws(CallError) -> ServiceCollection {
        let found: ServiceCollection? =
            switch object {
            case .collection(let name): service.directory.collection(name, for: scope)
            case .alias(let name): service.directory.collection(alias: name, for: scope)
            default: nil
            }
        guard let found else { throw .noSuchObject }
        return found
    }

    func item() throws(CallError) -> ServiceItem {
        guard let item = service.item(object, for: client) else { throw .noSuchObject }
        return item
    }

    func session(_ path: String) throws(CallError) -> Session {
        guard case .session(let id)? = ObjectPath(path), let session = client.sessions[id] else {
            throw .noSession
        }
        return session
    }
}
#endif
