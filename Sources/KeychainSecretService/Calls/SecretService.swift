// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainClient
import KeychainModel

/// Serves `org.freedesktop.secrets` on a bus, on one thread.
final class SecretService {
    let bus: Bus
    var directory = ItemDirectory()
    var clients: ClientTable
    /// Called on another thread when a prompt has ended: with the bus name of the client, the ID of the prompt, and
    /// whether the keychain was unlocked.
    let promptEnded: @Sendable (_ client: String, _ prompt: String, _ isUnlocked: Bool) -> Void
    /// The portal's calls that wait for the passcode, by the ID of the prompt.
    ///
    /// A cancelled call stays here until its thread has ended, so that the limits also limit the threads.
    private var waiting: [String: PortalRequest] = [:]
    private var wasLocked = false
    private var lastNumber: UInt64 = 0

    static let name = "org.freedesktop.secrets"

    init(
        _ bus: Bus,
        _ identifier: ClientIdentifier,
        promptEnded: @escaping @Sendable (String, String, Bool) -> Void
    ) {
        self.bus = bus
        clients = ClientTable(identifier)
        self.promptEnded = promptEnded
    }

    /// Returns a path element that this service has not used yet.
    func nextElement(_ prefix: String) -> String {
        lastNumber += 1
        return "\(prefix)\(lastNumber)"
    }

    /// Answers a call or handles a signal of the bus.
    ///
    /// - Returns: `false` if this service has lost the bus name `org.freedesktop.secrets`.
    func handle(_ message: borrowing IncomingMessage) -> Bool {
        if message.isSignal { return handle(signal: message) }
        guard message.isCall else { return true }
        do throws(CallError) {
            if message.interface == Portal.request {
                try bus.reply(to: message, try Portal(service: self).close(message))
            } else if case .portal? = ObjectPath(message.path), message.interface != Introspection.interface {
                guard let answer = try Portal(service: self).answer(message) else { return true }
                try bus.reply(to: message, answer)
            } else {
                try bus.reply(to: message, try answer(message))
            }
        } catch {
            bus.refuse(message, error)
        }
        return true
    }

    private func handle(signal: borrowing IncomingMessage) -> Bool {
        guard signal.sender == Bus.daemon else { return true }
        switch signal.member {
        case "NameLost": return (try? signal.string()) != Self.name
        case "NameOwnerChanged":
            if let name = try? signal.string() {
                clients.remove(name)
                _ = cancelRequests { $0.caller == name }
            }
            return true
        default: return true
        }
    }

    private func answer(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        guard let object = ObjectPath(message.path) else { throw .noSuchObject }
        if message.interface == Introspection.interface, message.member == "Introspect" {
            return [.string(Introspection.description(of: object))]
        }
        let client = try clients.client(message.sender, on: bus)
        try directory.refresh()
        tellLockState()
        if message.interface == PropertyCalls.interface {
            return try PropertyCalls(service: self, client: client, object: object).answer(message)
        }
        let (interface, member) = (message.interface, message.member)
        let method = Method.table.first { method in
            method.name == member && (interface.isEmpty || method.interface.name == interface)
                && method.interface.isOffered(by: object)
        }
        guard let method else { throw .unknownMethod }
        guard message.signature == method.input else { throw .invalidArguments }
        return try method.answer(Call(service: self, client: client, object: object), message)
    }

    /// Tells the clients if the keychain was locked or unlocked since this method was last called.
    func tellLockState() {
        guard wasLocked != directory.isLocked else { return }
        wasLocked = directory.isLocked
        for client in clients.clients.values {
            for collection in directory.collections(of: client.scope)
            where collection.name != ServiceCollection.session {
                tell(client, "CollectionChanged", .service, [.path(collection.path)])
                let changed = BusValue.properties([NamedValue("Locked", .boolean(wasLocked))])
                tellProperties(client, .collection, collection.path, [changed, .strings([])])
            }
        }
    }
}

/// Signals, which go only to the clients that see the object.
extension SecretService {
    func tell(_ client: Client, _ signal: String, _ interface: Interface, _ values: [BusValue]) {
        tell(client, signal, interface, ObjectPath.root, values)
    }

    func tell(
        _ client: Client,
        _ signal: String,
        _ interface: Interface,
        _ path: String,
        _ values: [BusValue]
    ) {
        try? bus.signal(signal, interface.name, from: path, to: client.name, values)
    }

    private func tellProperties(
        _ client: Client,
        _ interface: Interface,
        _ path: String,
        _ values: [BusValue]
    ) {
        let values = [.string(interface.name)] + values
        try? bus.signal("PropertiesChanged", PropertyCalls.interface, from: path, to: client.name, values)
    }

    /// Tells the clients that see an item about its creation, change or deletion.
    func tell(_ signal: String, about item: ServiceItem) {
        let collection = ObjectPath.collection(item.collection).text
        for client in clients.clients.values where client.scope.sees(item.owner) {
            tell(client, signal, .collection, collection, [.path(item.path)])
            guard signal != "ItemChanged" else { continue }
            // The signal does not contain the list of all items, which is long: clients that need it read it again.
            tellProperties(client, .collection, collection, [.properties([]), .strings(["Items"])])
        }
    }

    func tell(_ signal: String, about collection: ServiceCollection) {
        for client in clients.clients.values where client.scope.sees(collection.owner) {
            tell(client, signal, .service, [.path(collection.path)])
            guard signal != "CollectionChanged" else { continue }
            let paths = directory.collections(of: client.scope).map(\.path)
            let changed = BusValue.properties([NamedValue("Collections", .paths(paths))])
            tellProperties(client, .service, ObjectPath.root, [changed, .strings([])])
        }
    }
}

extension SecretService {
    /// Creates a prompt that completes a call after the keychain was unlocked; returns its path.
    func makePrompt(
        for client: Client,
        dismissed: BusValue,
        complete: @escaping () throws(CallError) -> BusValue
    ) throws(CallError) -> BusValue {
        guard client.prompts.count < Limits.promptsPerClient else {
            throw .limit("the program has too many prompts")
        }
        let prompt = Prompt(nextElement("p"), dismissed: dismissed, complete: complete)
        client.prompts[prompt.id] = prompt
        return .path(prompt.path)
    }

    /// Asks for the passcode for a request of the portal.
    ///
    /// - Returns: `false` if too many requests are waiting.
    func askForPasscode(for request: PortalRequest) -> Bool {
        let ofApplication = waiting.values.count { $0.application == request.application }
        guard ofApplication < Limits.requestsPerApplication, waiting.count < Limits.requests else {
            return false
        }
        let id = nextElement("w")
        waiting[id] = request
        let (ended, cancellation, application) = (promptEnded, request.cancellation, request.application)
        SystemKeychain.detach {
            ended("", id, UnlockDialog.run(for: application) { cancellation.isCancelled })
        }
        return true
    }

    /// Closes the dialogs of waiting requests, and completes these without the passcode.
    ///
    /// - Returns: Whether a request was waiting.
    func cancelRequests(where test: (PortalRequest) -> Bool) -> Bool {
        let cancelled = waiting.filter { $0.value.complete != nil && test($0.value) }
        for (id, request) in cancelled {
            waiting[id]?.complete = nil
            request.cancellation.cancel()
            request.complete?(.cancelled)
        }
        return !cancelled.isEmpty
    }

    /// Completes a prompt or a waiting call of the portal after its dialog was closed, or after the prompt was
    /// dismissed.
    func finish(_ id: String, of name: String, isUnlocked: Bool) {
        if let request = waiting.removeValue(forKey: id) {
            request.complete?(isUnlocked ? .unlocked : .refused)
            return
        }
        guard let client = clients.clients[name], let prompt = client.prompts.removeValue(forKey: id) else {
            return
        }
        var (isDismissed, result) = (true, prompt.dismissed)
        if isUnlocked {
            do throws(CallError) {
                try directory.refresh()
                tellLockState()
                result = try prompt.complete()
                isDismissed = false
            } catch {
                // The signal `Completed` below tells the client that the prompt was dismissed.
            }
        }
        tell(client, "Completed", .prompt, prompt.path, [.boolean(isDismissed), .variant(result)])
    }
}
#endif
