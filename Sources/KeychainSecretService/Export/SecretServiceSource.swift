// SPDX-License-Identifier: Apache-2.0

#if SecretService
import Glibc
import KeychainClient
import KeychainModel

/// Reads the items of the Secret Service that another program provides, as a client of that program.
struct SecretServiceSource {
    private let bus: Bus
    private let session: Session
    private let sessionPath: String
    /// Whether to ask the user to unlock a locked collection.
    private let isPrompting: Bool

    /// How long the user has to answer a prompt, in milliseconds.
    private static let promptLimit: UInt64 = 300_000

    /// Reads the items of all collections that are unlocked or, with `prompting`, that the user unlocks.
    static func export(prompting: Bool) -> SecretServiceExport {
        var export = SecretServiceExport()
        guard let bus = Bus(.session) else {
            export.problem = "there is no session bus; set DBUS_SESSION_BUS_ADDRESS"
            return export
        }
        do throws(CallError) {
            let source = try Self(bus, prompting: prompting)
            guard !NameOwner.isThisService(bus.process(of: SecretService.name) ?? 0) else {
                export.problem =
                    "keychain-secret-service provides the Secret Service: its items are in this keychain already"
                return export
            }
            for (number, path) in try source.collections().enumerated() {
                source.read(path, number + 1, into: &export)
            }
        } catch {
            export.problem =
                "no program provides \(SecretService.name) on the session bus, or it does not answer"
        }
        return export
    }

    /// Opens an encrypted session; a plain one if the program that provides the service does not support encryption.
    private init(_ bus: Bus, prompting: Bool) throws(CallError) {
        (self.bus, isPrompting) = (bus, prompting)
        do throws(CallError) {
            (session, sessionPath) = try Self.encryptedSession(bus)
        } catch {
            guard error == .unsupportedAlgorithm else { throw error }
            (session, sessionPath) = try Self.plainSession(bus)
        }
    }

    private static func encryptedSession(_ bus: Bus) throws(CallError) -> (Session, String) {
        let keys = try DiffieHellman.KeyPair.make()
        let reply = try open(Session.encrypted, .bytes(try keys.publicKey()), bus)
        let peer = try reply.variant("ay") { () throws(CallError) in try reply.bytes().bytes }
        return (Session(key: try keys.agree(with: peer)), try reply.objectPath())
    }

    private static func plainSession(_ bus: Bus) throws(CallError) -> (Session, String) {
        let reply = try open(Session.plain, .string(""), bus)
        _ = try reply.variant("s") { () throws(CallError) in try reply.string() }
        return (Session(key: nil), try reply.objectPath())
    }

    private static func open(
        _ algorithm: String,
        _ input: BusValue,
        _ bus: Bus
    ) throws(CallError) -> IncomingMessage {
        let arguments = [BusValue.string(algorithm), .variant(input)]
        return try bus.call(
            SecretService.name,
            ObjectPath.root,
            Interface.service.name,
            "OpenSession",
            arguments
        )
    }

    private func property(
        _ name: String,
        of path: String,
        _ interface: Interface
    ) throws(CallError) -> IncomingMessage {
        try bus.call(
            SecretService.name,
            path,
            PropertyCalls.interface,
            "Get",
            [.string(interface.name), .string(name)]
        )
    }

    private func paths(
        _ name: String,
        of path: String,
        _ interface: Interface
    ) throws(CallError) -> [String] {
        let reply = try property(name, of: path, interface)
        return try reply.variant("ao") { () throws(CallError) in try reply.paths(atMost: .max) }
    }

    private func collections() throws(CallError) -> [String] {
        try paths("Collections", of: ObjectPath.root, .service)
    }

    private func isLocked(_ path: String) throws(CallError) -> Bool {
        let reply = try property("Locked", of: path, .collection)
        return try reply.variant("b") { () throws(CallError) in try reply.boolean() }
    }

    private func label(of path: String) throws(CallError) -> String {
        let reply = try property("Label", of: path, .collection)
        return try reply.variant("s") { () throws(CallError) in try reply.string() }
    }

    private func read(_ path: String, _ number: Int, into export: inout SecretServiceExport) {
        var name = "collection \(number)"
        do throws(CallError) {
            let label = try label(of: path)
            if !label.isEmpty { name += " (\(label))" }
            var isOpen = try !isLocked(path)
            if !isOpen, isPrompting { isOpen = try unlock(path) }
            guard isOpen else {
                let reason =
                    isPrompting
                    ? "it is locked, and the program that has it did not unlock it"
                    : "it is locked, and --no-prompt forbids asking the user to unlock it"
                return export.rejections.append(.init(location: name, reason: reason))
            }
            for (number, item) in try paths("Items", of: path, .collection).enumerated() {
                do throws(CallError) {
                    export.items.append(try read(item, in: label))
                } catch {
                    let reason = "it is locked or cannot be read: \(error.message)"
                    export.rejections.append(.init(location: "item \(number + 1) of \(name)", reason: reason))
                }
            }
        } catch {
            export.rejections.append(.init(location: name, reason: "it cannot be read: \(error.message)"))
        }
    }

    private func read(_ path: String, in collection: String) throws(CallError) -> SecretServiceExport.Item {
        let properties = try bus.call(
            SecretService.name,
            path,
            PropertyCalls.interface,
            "GetAll",
            [.string(Interface.item.name)]
        ).properties()
        let reply = try bus.call(
            SecretService.name,
            path,
            Interface.item.name,
            "GetSecret",
            [.path(sessionPath)]
        )
        return SecretServiceExport.Item(
            collection: collection,
            label: properties.label ?? "",
            attributes: properties.attributes ?? [:],
            secret: try session.receive(try reply.secret())
        )
    }

    // MARK: Locked collections

    /// Asks the program that provides the service to unlock a collection, and waits for the prompt that it shows.
    ///
    /// - Returns: Whether the collection is unlocked now.
    private func unlock(_ path: String) throws(CallError) -> Bool {
        let reply = try bus.call(
            SecretService.name,
            ObjectPath.root,
            Interface.service.name,
            "Unlock",
            [.paths([path])]
        )
        _ = try reply.paths()
        let prompt = try reply.objectPath()
        if prompt != "/" { try answer(prompt) }
        return try !isLocked(path)
    }

    /// Shows a prompt, and returns when the user has answered or dismissed it; dismisses it after five minutes.
    private func answer(_ prompt: String) throws(CallError) {
        let interface = Interface.prompt.name
        try bus.match("type='signal',interface='\(interface)',member='Completed',path='\(prompt)'")
        _ = try bus.call(SecretService.name, prompt, interface, "Prompt", [.string("")])
        let deadline = SystemClock.milliseconds + Self.promptLimit
        while SystemClock.milliseconds < deadline {
            while let message = try bus.next() {
                if message.isSignal, message.path == prompt, message.member == "Completed" { return }
            }
            var file = pollfd(fd: bus.descriptor, events: bus.events, revents: 0)
            unsafe poll(&file, 1, bus.hasWaiting ? 0 : 1_000)
        }
        _ = try bus.call(SecretService.name, prompt, interface, "Dismiss", [])
    }
}
#endif
