// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import FoundationEssentials
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainSync

struct SyncCommand {
    private let name: String
    let options: Options

    init(_ arguments: [String]) throws(Failure) {
        guard let name = arguments.first else { throw .usage("a subcommand is required: \(Self.names)") }
        self.name = name
        options = try Options(arguments.dropFirst())
    }

    private static let names =
        "create, invite, join, recover, devices, remove, leave, rebuild, status, conflicts, pause, resume, run"

    func run() async throws(Failure) {
        switch name {
        case "create": try await create()
        case "invite": try await invite()
        case "join": try await join()
        case "recover": try await recover()
        case "devices": try listDevices()
        case "remove": try await remove()
        case "leave": try await leave()
        case "rebuild": try await rebuild()
        case "status": try status()
        case "conflicts": try conflicts()
        case "pause": try pause(true)
        case "resume": try pause(false)
        case "run": try await runAgent()
        default: throw .usage("unknown subcommand; there are: \(Self.names)")
        }
    }

    func sync<Result>(_ body: () throws(SyncError) -> Result) throws(Failure) -> Result {
        do throws(SyncError) { return try body() } catch { throw Failure(error) }
    }

    func keychain(creating: Bool = false) throws(SyncError) -> EmbeddedKeychain {
        guard try !Self.isServedBySystem() else { throw .systemService }
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

    /// Returns whether a daemon other than the user's own serves the keychain.
    ///
    /// The store of the system service can be opened only by a synchronization agent that runs as the user `keychain`.
    private static func isServedBySystem() throws(SyncError) -> Bool {
        do throws(StatusError) {
            guard try SystemKeychain.hasDaemon() else { return false }
            return try SystemKeychain.storeDirectory() != SystemKeychain.userSocketPath()?.directoryOfPath
        } catch {
            throw .store(error)
        }
    }

    func store() throws(SyncError) -> SyncStore { SyncStore(try keychain()) }

    func client(_ configuration: EtcdConfiguration) throws(SyncError) -> EtcdClient {
        do throws(EtcdError) {
            return EtcdClient(configuration, over: try HTTPTransport(configuration))
        } catch {
            throw .etcd(error)
        }
    }

    /// Prints the result of a command: a line, or with `--json` an object.
    func report(_ line: String, _ object: [String: String] = [:]) {
        if options.has("json") { Output.write(json: object) } else { Output.write(line) }
    }

    /// Calls the closure with the store's circle of devices, connected to etcd; closes the connection afterwards.
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

extension SyncCommand {
    private func create() async throws(Failure) {
        let configuration = try options.configuration()
        let name = options.deviceName
        let code = options.has("recovery-code") ? RecoveryCode.random() : nil
        try await withCircle(configuration) { circle throws(SyncError) in
            try await circle.create(named: name, configuration, recovery: code)
        }
        report(
            "created; add devices with security sync invite, start synchronization with security sync run",
            code.map { ["recoveryCode": $0.exposedText] } ?? [:]
        )
        guard let code, !options.has("json") else { return }
        Output.write("recovery code: \(code.exposedText)")
        Output.complain("write the code down; with it and access to the server, a device becomes an admin")
    }

    private func recover() async throws(Failure) {
        let code = try code { RecoveryCode($0) }
        let name = options.deviceName
        // If there is no store, or it cannot be read, the device counts as not being in a circle.
        let isMember = (try? store().isConfigured) ?? false
        let given = isMember ? nil : try options.configuration()
        try await withCircle(given) { circle throws(SyncError) in
            let configuration = if let given { given } else { try store().configuration() }
            try await circle.recover(with: code, named: name, configuration)
        }
        report("this device is an admin; remove lost devices with security sync remove")
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
            report(invitation.code.exposedText, ["code": invitation.code.exposedText])
            Output.complain("valid for 10 minutes and one device; waiting for security sync join")
            while true {
                if let request = try await circle.request(for: invitation) {
                    guard isConfirmed || confirms(request, role) else {
                        try await circle.refuse(invitation)
                        throw .invitationRefused
                    }
                    try await circle.accept(request, of: invitation)
                    let device = request.keys.identifier.hexadecimal
                    return report("added \(device) \(Output.plain(request.name))", ["added": device])
                }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func confirms(_ request: JoinRequest, _ role: MemberRole) -> Bool {
        let (name, device) = (Output.plain(request.name), request.keys.identifier.hexadecimal)
        if options.has("json") {
            Output.write(json: ["device": device, "name": name, "role": role.name])
        } else {
            Output.complain("add \(name), device \(device), as \(role.name)? [y/N]")
        }
        return ["y", "yes"].contains(Options.readLine(hidden: false).lowercased())
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
        report("joined; start synchronization with security sync run")
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
            return Output.write(json: lines)
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
        report("removed; change the secrets that the device knew, and revoke its access to etcd")
    }

    private func leave() async throws(Failure) {
        let force = options.has("force")
        do throws(Failure) {
            try await withCircle { circle throws(SyncError) in try await circle.leave(force: force) }
        } catch {
            guard force else { throw error }
            try await leaveWithoutServer()
        }
        report("left the circle; the items stay on this device")
    }

    /// Leaves the circle of devices without calling the server.
    ///
    /// The connection settings in the store, or a certificate file that they name, may be unreadable.
    private func leaveWithoutServer() async throws(Failure) {
        do throws(SyncError) {
            try await Circle(keychain: keychain()).leave(force: true)
        } catch {
            throw Failure(error)
        }
    }
}

extension SyncCommand {
    private func rebuild() async throws(Failure) {
        let generation = try await withCircle { circle throws(SyncError) in try await circle.rebuild() }
        report(
            "generation \(generation) has started; the agent of each device sends its items again",
            ["generation": String(generation)]
        )
    }
}

extension Circle {
    /// Creates the circle of devices of a store, for calls that do not use the network.
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
        milliseconds: Int64?
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
