// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import Dispatch
import FoundationEssentials
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainSync

/// A subcommand of `security sync`.
struct SyncCommand {
    private let name: String
    private let options: Options

    init(_ arguments: [String]) throws(Failure) {
        guard let name = arguments.first else { throw .usage("a subcommand is required: \(Self.names)") }
        self.name = name
        options = try Options(arguments.dropFirst())
    }

    private static let names =
        "create, invite, join, recover, devices, remove, leave, status, conflicts, pause, resume, run"

    func run() async throws(Failure) {
        switch name {
        case "create": try await create()
        case "invite": try await invite()
        case "join": try await join()
        case "recover": try await recover()
        case "devices": try listDevices()
        case "remove": try await remove()
        case "leave": try await leave()
        case "status": try status()
        case "conflicts": try conflicts()
        case "pause": try sync { () throws(SyncError) in try store().setPaused(true) }
        case "resume": try sync { () throws(SyncError) in try store().setPaused(false) }
        case "run": try await runAgent()
        default: throw .usage("unknown subcommand; there are: \(Self.names)")
        }
    }

    private func sync<Result>(_ body: () throws(SyncError) -> Result) throws(Failure) -> Result {
        do throws(SyncError) { return try body() } catch { throw Failure(error) }
    }

    private func keychain(creating: Bool = false) throws(SyncError) -> EmbeddedKeychain {
        do throws(StatusError) {
            var location = StoreLocation(
                directory: try SystemKeychain.directoryOfEnvironment(),
                createsIfMissing: creating
            )
            location.keyCacheLocations = SystemKeychain.keyCacheLocations()
            return try EmbeddedKeychain(at: location)
        } catch {
            throw .store(error)
        }
    }

    private func store() throws(SyncError) -> SyncStore { SyncStore(try keychain()) }

    private func client(_ configuration: EtcdConfiguration) throws(SyncError) -> EtcdClient {
        do throws(EtcdError) {
            return EtcdClient(configuration, over: try HTTPTransport(configuration))
        } catch {
            throw .etcd(error)
        }
    }

    /// Calls the closure with the circle of the store and a connection that is closed afterwards.
    private func withCircle<Result>(
        _ configuration: EtcdConfiguration? = nil,
        _ body: (Circle) async throws(SyncError) -> Result
    ) async throws(Failure) -> Result {
        do throws(SyncError) {
            let keychain = try keychain(creating: configuration != nil)
            let used = if let configuration { configuration } else { try SyncStore(keychain).configuration() }
            let client = try client(used)
            do throws(SyncError) {
                let result = try await body(Circle(keychain, over: client))
                await client.shutdown()
                return result
            } catch {
                await client.shutdown()
                throw error
            }
        } catch {
            throw Failure(error)
        }
    }
}

// Circle.
extension SyncCommand {
    private func create() async throws(Failure) {
        let configuration = try options.configuration()
        let name = options.deviceName
        let code = options.has("recovery-code") ? RecoveryCode.random() : nil
        try await withCircle(configuration) { circle throws(SyncError) in
            try await circle.create(named: name, configuration, recovery: code)
        }
        Output.write(
            "created; add devices with security sync invite, start synchronization with security sync run"
        )
        guard let code else { return }
        Output.write("recovery code: \(code.exposedText)")
        Output.complain("write the code down; with it and access to the server, a device becomes an admin")
    }

    private func recover() async throws(Failure) {
        let code = try code { RecoveryCode($0) }
        let name = options.deviceName
        // Without a store, the device belongs to no circle either.
        let isMember = (try? store().isConfigured) ?? false
        let given = isMember ? nil : try options.configuration()
        try await withCircle(given) { circle throws(SyncError) in
            let configuration = if let given { given } else { try store().configuration() }
            try await circle.recover(with: code, named: name, configuration)
        }
        Output.write("this device is an admin; remove lost devices with security sync remove")
    }

    /// Parses the code that the operand contains, or for `-` the standard input.
    private func code<Code>(_ parse: (String) -> Code?) throws(Failure) -> Code {
        let text = options.operands.first.map { $0 == "-" ? Options.readLine(hidden: true) : $0 }
        guard let text else { throw .usage("the code is required; - reads it from the standard input") }
        guard let code = parse(text) else { throw Failure(SyncError.codeMalformed) }
        return code
    }

    private func invite() async throws(Failure) {
        let role: MemberRole =
            options.has("read-only") ? .readOnly : options.has("admin") ? .admin : .member
        let isConfirmed = options.has("yes")
        try await withCircle { circle throws(SyncError) in
            let invitation = try await circle.invite(as: role)
            Output.write(invitation.code.exposedText)
            Output.complain("valid for 10 minutes and one device; waiting for security sync join")
            while true {
                if let request = try await circle.request(for: invitation) {
                    let name = Output.plain(request.name)
                    let device = request.keys.identifier.hexadecimal
                    if !isConfirmed {
                        Output.complain("add \(name), device \(device), as \(role.name)? [y/N]")
                        guard ["y", "yes"].contains(Options.readLine(hidden: false).lowercased()) else {
                            throw .joinTimedOut
                        }
                    }
                    try await circle.accept(request, of: invitation)
                    Output.write("added \(device) \(name)")
                    return
                }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func join() async throws(Failure) {
        let configuration = try options.configuration()
        let code = try code { InvitationCode($0) }
        let name = options.deviceName
        let limit = ContinuousClock.now + .seconds(Circle.invitationDuration)
        try await withCircle(configuration) { circle throws(SyncError) in
            try await circle.join(code, named: name, configuration) {
                try? await Task.sleep(for: .milliseconds(200))
                return ContinuousClock.now < limit
            }
        }
        Output.write("joined; start synchronization with security sync run")
    }

    private func listDevices() throws(Failure) {
        let devices = try sync { () throws(SyncError) in try Circle(keychain: keychain()).devices() }
        if options.has("json") {
            struct Line: Encodable {
                var device: String, name: String, role: String, this: Bool, lastActivity: UInt64?
            }
            let lines = devices.map {
                Line(
                    device: $0.identifier.hexadecimal,
                    name: $0.name,
                    role: $0.role.name,
                    this: $0.isThisDevice,
                    lastActivity: $0.lastActivity
                )
            }
            return writeJSON(lines)
        }
        for device in devices {
            let mark = device.isThisDevice ? " (this device)" : ""
            Output.write(
                "\(device.identifier.hexadecimal) \(device.role.name) \(Output.plain(device.name))\(mark)"
            )
        }
    }

    private func remove() async throws(Failure) {
        guard let text = options.operands.first else { throw .usage("the device is required") }
        try await withCircle { circle throws(SyncError) in
            let found = try circle.devices().filter { device in
                device.identifier.hexadecimal.hasPrefix(text) || device.name == text
            }
            guard let device = found.first, found.count == 1 else { throw .deviceUnknown }
            try await circle.remove(device.identifier)
        }
        Output.write("removed; change the secrets that the device knew, and revoke its access to etcd")
    }

    private func leave() async throws(Failure) {
        let force = options.has("force")
        try await withCircle { circle throws(SyncError) in try await circle.leave(force: force) }
        Output.write("left; the items stay")
    }
}

// Status.
extension SyncCommand {
    private func writeJSON(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        if let data = try? encoder.encode(value) { Output.write(String(decoding: data, as: UTF8.self)) }
    }

    private func status() throws(Failure) {
        let status = try sync { () throws(SyncError) in try store().status() }
        guard !options.has("json") else { return writeJSON(status) }
        Output.write("circle:      \(status.circle), \(status.devices) devices, epoch \(status.epoch)")
        Output.write("device:      \(status.device) \(Output.plain(status.name)), \(status.role)")
        Output.write("fingerprint: \(status.fingerprint)")
        Output.write("records:     \(status.records), at revision \(status.revision)")
        Output.write("to push:     \(status.outbox)")
        if status.localOnly > 0 { Output.write("local only:  \(status.localOnly)") }
        Output.write("locked:      \(status.locked)")
        Output.write("conflicts:   \(status.conflicts)")
        if status.isOutOfContact {
            Output.write("warning:     the server has acknowledged nothing for 48 hours")
        }
        if status.paused { Output.write("paused") }
        if let problem = status.problem { Output.write("problem:     \(status.message ?? "") [\(problem)]") }
    }

    private func conflicts() throws(Failure) {
        if options.operands.first == "restore" {
            guard let number = options.operands.dropFirst().first.flatMap({ Int64($0) }) else {
                throw .usage("the number of the conflict is required")
            }
            return try sync { () throws(SyncError) in try store().restore(number) }
        }
        struct Line: Encodable {
            var number: Int64, device: String, time: UInt64
            var itemClass: String?, accessGroup: String?, account: String?, service: String?
        }
        let conflicts = try sync { () throws(SyncError) in try store().conflicts() }
        let lines = conflicts.map { conflict in
            Line(
                number: conflict.number,
                device: conflict.device.hexadecimal,
                time: conflict.time,
                itemClass: conflict.item?.itemClass.name,
                accessGroup: conflict.item?.attributes.text(.accessGroup),
                account: conflict.item?.attributes.text(.account),
                service: conflict.item?.attributes.text(.service) ?? conflict.item?.attributes.text(.server)
            )
        }
        guard !options.has("json") else { return writeJSON(lines) }
        for line in lines {
            let name = [line.service, line.account].compactMap { $0 }.joined(separator: "/")
            Output.write("\(line.number) \(line.itemClass ?? "locked") \(Output.plain(name))")
        }
    }
}

// Agent.
extension SyncCommand {
    private func runAgent() async throws(Failure) {
        let lock = AgentLock()
        do throws(SyncError) {
            let keychain = try keychain()
            guard lock.acquire(in: keychain.location.directory) else { throw .agentIsRunning }
            let client = try client(SyncStore(keychain).configuration())
            do throws(SyncError) {
                if options.has("once") {
                    try await SyncAgent(keychain, over: client).synchronize()
                } else {
                    await run(SyncRunner(keychain, over: client) { Output.complain($0.fields) })
                }
            } catch {
                await client.shutdown()
                throw error
            }
            await client.shutdown()
        } catch {
            throw Failure(error)
        }
    }

    private func run(_ runner: SyncRunner) async {
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { runner.stop() }
            source.resume()
            return source
        }
        await runner.run()
        withExtendedLifetime(sources) {}
    }
}

/// The lock that lets one agent synchronize a store; released when the process ends.
private struct AgentLock {
    func acquire(in directory: String) -> Bool {
        let file = unsafe open(directory + "/sync.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        return file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0
    }
}

extension Attributes {
    /// The value of an attribute as text; `nil` if it is a number, a date or not UTF-8.
    fileprivate func text(_ attribute: Attribute) -> String? {
        switch self[attribute] {
        case .string(let text): text
        case .data(let data): String(validating: data, as: UTF8.self)
        case .number, .date, nil: nil
        }
    }
}

extension Circle {
    /// Creates the circle of a store for calls that do not use the network.
    fileprivate init(keychain: EmbeddedKeychain) {
        self.init(keychain, over: EtcdClient(EtcdConfiguration(endpoints: []), over: NoTransport()))
    }
}

/// A transport whose calls always fail, for commands that do not use the network.
private struct NoTransport: EtcdTransport {
    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) { throw .unreachable }

    func stream(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        connectMilliseconds: Int64,
        _ line: @escaping @Sendable ([UInt8]) async -> Bool
    ) async throws(EtcdError) { throw .unreachable }

    func shutdown() async {}
}
#endif
