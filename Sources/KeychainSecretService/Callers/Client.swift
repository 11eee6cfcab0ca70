// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainDaemon

/// A program that is connected to the bus and has called this service.
final class Client {
    /// The unique bus name.
    let name: String
    let identity: ClientIdentifier.Result
    var sessions: [String: Session] = [:]
    var prompts: [String: Prompt] = [:]
    /// The searches made before this service had read the keychain, by the ID of the placeholder that each returned.
    var searches: [String: PendingSearch] = [:]
    var searchCount = 0

    init(_ name: String, _ identity: ClientIdentifier.Result) {
        self.name = name
        self.identity = identity
    }

    var scope: OwnerScope { identity.scope }
}

struct ClientTable {
    private(set) var clients: [String: Client] = [:]
    private let identifier: ClientIdentifier

    init(_ identifier: ClientIdentifier) { self.identifier = identifier }

    /// Returns the client with a bus name; identifies it at its first call.
    ///
    /// - Throws: `unidentified` if the program cannot be identified, or if its process now runs another program; an
    ///   error of ``Limits`` if too many programs are connected.
    mutating func client(_ name: String, on bus: Bus) throws(CallError) -> Client {
        if let known = clients[name] {
            guard known.identity.program.isRunning else { throw .unidentified }
            return known
        }
        guard clients.count < Limits.clients else { throw .limit("too many programs are connected") }
        guard let process = bus.process(of: name), let identity = identifier.identify(process),
            // If the process still owns the name, its ID was not reused for another process meanwhile.
            bus.process(of: name) == process, identity.program.isRunning
        else { throw .unidentified }
        let client = Client(name, identity)
        clients[name] = client
        return client
    }

    /// Removes a client that has disconnected, and cancels its prompts.
    mutating func remove(_ name: String) {
        for prompt in clients.removeValue(forKey: name)?.prompts.values.map({ $0 }) ?? [] { prompt.cancel() }
    }
}
#endif
