// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import KeychainTestSupport
import Synchronization

/// A cluster of etcd on loopback, with its data in a temporary directory.
///
/// Call `end()` to stop it and delete the data.
final class EtcdServer: Sendable {
    enum Unavailable: Error {
        case port
        /// The members do not answer; the last line of each member's log.
        case server([String])
    }

    private struct Member: Sendable {
        let name: String
        let client: UInt16
        let peer: UInt16
    }

    let directory: String
    let configuration: EtcdConfiguration
    private let members: [Member]
    private let options: [String]
    private let hasTLS: Bool
    private let requiresPassword: Bool
    private let permit: ClusterLimit.Permit
    private let processes: Mutex<[ChildProcess?]>

    /// Starts the members when fewer clusters run than `ClusterLimit` allows, and waits until they answer.
    ///
    /// `hasTLS` requires client certificates; `tokenSeconds` requires a password, and tokens expire if they are
    /// not used for this time.
    init(
        members count: Int = 1,
        hasTLS: Bool = false,
        tokenSeconds: Int? = nil,
        _ options: [String] = []
    ) async throws {
        permit = await ClusterLimit.shared.acquire()
        let folder = FileManager.default.temporaryDirectory.appending(path: "etcd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        directory = folder.path
        members = try (1...count).map {
            Member(name: "member\($0)", client: try Self.freePort(), peer: try Self.freePort())
        }
        var configuration = EtcdConfiguration(
            endpoints: members.map { "\(hasTLS ? "https" : "http")://127.0.0.1:\($0.client)" }
        )
        if hasTLS {
            try Self.makeCertificates(in: directory)
            configuration.certificateAuthority = directory + "/ca.pem"
            configuration.certificate = directory + "/client.pem"
            configuration.key = directory + "/client.key"
        }
        requiresPassword = tokenSeconds != nil
        if requiresPassword { (configuration.user, configuration.password) = ("device", "canary-password") }
        self.configuration = configuration
        self.hasTLS = hasTLS
        let tokens = tokenSeconds.map { ["--auth-token-ttl", "\($0)", "--bcrypt-cost", "4"] }
        self.options = options + (tokens ?? [])
        processes = Mutex([ChildProcess?](repeating: nil, count: count))
        for index in members.indices { try start(index) }
        do {
            try await waitUntilReady(settingPassword: requiresPassword)
        } catch {
            end()
            throw error
        }
    }

    /// Posts a message to a member, and returns the answer; `nil` without an answer that is a JSON object.
    private func post(
        _ path: String,
        _ message: String,
        to index: Int = 0,
        milliseconds: Int64 = 20_000
    ) async throws -> [String: Any]? {
        let transport = try transport()
        let answer = try? await transport.post(
            Array(message.utf8),
            to: configuration.endpoints[index] + path,
            headers: [],
            milliseconds: milliseconds
        )
        await transport.shutdown()
        return answer.flatMap { try? JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any] }
    }

    /// Creates an administrator and the user of the devices, and requires passwords from then on.
    private func setPassword() async throws {
        let (first, end) = (Self.base64("/kc/1/"), Self.base64("/kc/10"))
        let permission = #"{"permType":"READWRITE","key":"\#(first)","range_end":"\#(end)"}"#
        for (path, message) in [
            ("user/add", #"{"name":"root","password":"root"}"#), ("role/add", #"{"name":"root"}"#),
            ("user/grant", #"{"user":"root","role":"root"}"#),
            ("user/add", #"{"name":"device","password":"canary-password"}"#),
            ("role/add", #"{"name":"device"}"#),
            ("role/grant", #"{"name":"device","perm":\#(permission)}"#),
            ("user/grant", #"{"user":"device","role":"device"}"#), ("enable", "{}"),
        ] { _ = try await post("/v3/auth/" + path, message) }
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// The index of the member that is the leader; `nil` if no member that answers is the leader.
    func leader() async -> Int? {
        for index in members.indices {
            let status = try? await post("/v3/maintenance/status", "{}", to: index, milliseconds: 1_000)
            let member = (status?["header"] as? [String: Any])?["member_id"] as? String
            if let member, member == status?["leader"] as? String { return index }
        }
        return nil
    }

    /// Starts a member, with the data of its previous run if there was one.
    func start(_ index: Int) throws {
        let member = members[index]
        let scheme = hasTLS ? "https" : "http"
        let client = "\(scheme)://127.0.0.1:\(member.client)"
        let cluster = members.map { "\($0.name)=http://127.0.0.1:\($0.peer)" }.joined(separator: ",")
        var arguments = [
            "--name", member.name, "--data-dir", "\(directory)/\(member.name)",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", "http://127.0.0.1:\(member.peer)",
            "--initial-advertise-peer-urls", "http://127.0.0.1:\(member.peer)",
            "--initial-cluster", cluster, "--logger", "zap", "--log-outputs",
            "\(directory)/\(member.name).log",
        ]
        if hasTLS {
            arguments += [
                "--client-cert-auth", "--trusted-ca-file", directory + "/ca.pem",
                "--cert-file", directory + "/server.pem", "--key-file", directory + "/server.key",
            ]
        }
        let process = try ChildProcess(
            "/usr/bin/etcd",
            arguments + options,
            environment: ["PATH": "/usr/bin:/bin"],
            // This discards standard error: etcd logs lost connections there, although `--log-outputs` names a file.
            at: .noTerminal
        )
        processes.withLock { $0[index] = process }
    }

    /// Stops the only member, copies its data to a directory, and starts it again.
    func backUp(to name: String) async throws {
        kill(0)
        try FileManager.default.copyItem(atPath: directory + "/member1", toPath: directory + "/" + name)
        try start(0)
        try await waitUntilReady()
    }

    /// Replaces the only member's data with a backup; `nil` starts an empty cluster.
    func restore(_ name: String?) async throws {
        kill(0)
        try FileManager.default.removeItem(atPath: directory + "/member1")
        if let name {
            try FileManager.default.copyItem(atPath: directory + "/" + name, toPath: directory + "/member1")
        }
        try start(0)
        try await waitUntilReady()
    }

    func kill(_ index: Int) {
        let process = processes.withLock { processes in
            defer { processes[index] = nil }
            return processes[index]
        }
        process?.end()
    }

    /// Stops a member with SIGSTOP, or continues it.
    func signal(_ index: Int, _ number: Int32) {
        processes.withLock { if let process = $0[index] { _ = Glibc.kill(process.process, number) } }
    }

    private static func makeCertificates(in directory: String) throws {
        let folder = try OpenSSLFolder()
        // Valid since two hours ago, for devices whose clocks are slow.
        let past = try ["env"] + SkewedClock.environment(seconds: -7_200).map { "\($0.key)=\($0.value)" }
        func openssl(_ arguments: String, _ more: [String] = []) throws {
            try folder.run(past + ["openssl"] + arguments.split(separator: " ").map(String.init) + more)
        }
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        try openssl(
            "req -x509 -days 30 -keyout ca.key -out ca.pem \(key)",
            ["-subj", "/CN=test authority"]
        )
        for (name, address) in [
            ("server", "IP:127.0.0.1"), ("client", "IP:127.0.0.1"), ("other", "DNS:other.example.com"),
        ] {
            let extensions = "subjectAltName=\(address)\nextendedKeyUsage=serverAuth,clientAuth\n"
            try folder.write(Data(extensions.utf8), to: "extensions")
            try openssl("req -subj /O=\(name) -keyout \(name).key -out \(name).csr \(key)")
            try openssl(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions "
                    + "-out \(name).pem"
            )
        }
        for name in [
            "ca.pem", "server.pem", "server.key", "client.pem", "client.key", "other.pem", "other.key",
        ] {
            try folder.read(name).write(to: URL(filePath: directory).appending(path: name))
        }
    }

    /// Starts a server with a certificate of the same authority for another host; returns its endpoint, too.
    func startOtherHost() throws -> (ChildProcess, endpoint: String) {
        let port = try Self.freePort()
        let process = try ChildProcess(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "\(port)", "-cert", directory + "/other.pem", "-key",
                directory + "/other.key", "-www", "-quiet",
            ],
            environment: ["PATH": "/usr/bin:/bin"],
            at: .noTerminal
        )
        return (process, "https://127.0.0.1:\(port)")
    }

    /// Returns an unused port of loopback, below those that the kernel assigns to outgoing connections.
    static func freePort() throws -> UInt16 {
        for _ in 0..<1_000 {
            let port = UInt16.random(in: 15_000..<32_000)
            if reserve(port), isFree(port) { return port }
        }
        throw Unavailable.port
    }

    /// Reserves a port until this process ends; returns false if it is reserved, by this or another test process.
    ///
    /// The reservation is an abstract Unix socket whose name contains the port.
    private static func reserve(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading zero byte makes the address abstract: see unix(7).
        let name = [0] + Array("keychain-tests-port-\(port)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(length))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return false
        }
        return true
    }

    private static func isFree(_ port: UInt16) -> Bool {
        // Without SOCK_CLOEXEC, a program that another test starts now would keep the port.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    func compact() async throws {
        let transport = try transport()
        let client = EtcdClient(configuration, over: transport, deadlines: Self.deadlines)
        let revision = try await client.range(prefix: "/kc/1/none").revision
        let body = Array(#"{"revision":"\#(revision)"}"#.utf8)
        defer { Task { await transport.shutdown() } }
        var status = 0
        for index in members.indices where status != 200 {
            status =
                (try? await transport.post(
                    body,
                    to: configuration.endpoints[index] + "/v3/kv/compaction",
                    headers: try await authorization(at: index),
                    milliseconds: 5_000
                ))?.status ?? 0
        }
        guard status == 200 else { throw EtcdError.refused(status, "") }
    }

    /// The header of calls as the administrator; empty if no password is required, or if the login fails.
    private func authorization(at index: Int) async throws -> [(String, String)] {
        guard requiresPassword else { return [] }
        let login = #"{"name":"root","password":"root"}"#
        let answer = try await post("/v3/auth/authenticate", login, to: index, milliseconds: 5_000)
        guard let token = answer?["token"] as? String else { return [] }
        return [("Authorization", token)]
    }

    /// Frees the space of deleted and replaced values, and lets the only member accept changes again.
    func freeSpace() async throws {
        try await compact()
        _ = try await post("/v3/maintenance/defragment", "{}")
        let answer = try await post("/v3/maintenance/alarm", #"{"action":"GET"}"#)
        for alarm in answer?["alarms"] as? [[String: Any]] ?? [] {
            guard let member = alarm["memberID"] as? String else { continue }
            let message = #"{"action":"DEACTIVATE","memberID":"\#(member)","alarm":"NOSPACE"}"#
            _ = try await post("/v3/maintenance/alarm", message)
        }
    }

    /// Waits until the cluster answers; starts members again that have ended by themselves, at most three times.
    func waitUntilReady(settingPassword: Bool = false) async throws {
        let client = try client()
        var restarts = 0
        for _ in 0..<1_800 {
            if settingPassword { try await setPassword() }
            if (try? await client.range(prefix: "/kc/1/ready")) != nil { return await client.shutdown() }
            for index in members.indices where hasEnded(index) {
                guard restarts < 3 else { throw Unavailable.server(lastLines) }
                kill(index)
                try start(index)
                restarts += 1
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        await client.shutdown()
        throw Unavailable.server(lastLines)
    }

    /// Returns whether a member has ended by itself, such as because another program uses its port.
    private func hasEnded(_ index: Int) -> Bool {
        processes.withLock { processes in
            var status = siginfo_t()
            guard let process = processes[index],
                waitid(P_PID, id_t(process.process), &status, WEXITED | WNOHANG | WNOWAIT) == 0
            else { return false }
            return status.si_signo != 0
        }
    }

    /// The last line of each member's log.
    var lastLines: [String] { members.map { lastLine($0) } }

    private func lastLine(_ member: Member) -> String {
        let log = try? String(contentsOfFile: "\(directory)/\(member.name).log", encoding: .utf8)
        return log?.split(separator: "\n").last.map(String.init) ?? "no log"
    }

    /// Time limits that are long enough for a heavily loaded machine.
    static var deadlines: EtcdDeadlines {
        var deadlines = EtcdDeadlines()
        deadlines.connect = 10_000
        deadlines.call = 20_000
        deadlines.page = 60_000
        return deadlines
    }

    func client() throws -> EtcdClient {
        EtcdClient(configuration, over: try transport(), deadlines: Self.deadlines)
    }

    func transport() throws -> HTTPTransport {
        try HTTPTransport(configuration, deadlines: Self.deadlines)
    }

    func hasFile(containing bytes: [UInt8]) throws -> Bool {
        let files = FileManager.default.enumerator(atPath: directory)
        while let name = files?.nextObject() as? String {
            guard name.hasPrefix("member"),
                let content = FileManager.default.contents(atPath: directory + "/" + name)
            else { continue }
            if content.range(of: Data(bytes)) != nil { return true }
        }
        return false
    }

    func end() {
        for index in members.indices { kill(index) }
        try? FileManager.default.removeItem(atPath: directory)
        permit.end()
    }
}
