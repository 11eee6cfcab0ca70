// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainDaemon
import KeychainModel
import Logging

/// `securityd`: serves keychains over a Unix socket.
@main enum SecurityDaemon {
    /// The exit statuses of `sysexits.h`: EX_USAGE and EX_UNAVAILABLE.
    private enum Exit {
        static let usage: Int32 = 64
        static let unavailable: Int32 = 69
    }

    static func main() {
        clinux_reserve_standard_descriptors()
        // Refuse to run the system service as root: a fault in it must not compromise the whole system.
        guard let options = Options(CommandLine.arguments.dropFirst()),
            options.service != .system || options.user != nil || geteuid() != 0
        else {
            write(Options.usage)
            exit(Exit.usage)
        }
        // The process's memory contains keys: forbid core dumps, and tracing by other programs of its user.
        _ = clinux_forbid_dumps()
        // The program that reads the log from a pipe may end: continue without it.
        signal(SIGPIPE, SIG_IGN)
        allowConnections()
        SystemKeychain.omitMemoryStatistics()
        let signals = clinux_signals()
        do throws(StatusError) {
            let listener = try listen(options)
            let server = try server(options, listener, signals)
            for unlock in UnattendedUnlock.all(options) { unlock.run(on: server, log) }
            ServiceManager.notify("READY=1")
            log.info("ready")
            server.run()
            listener.remove()
            log.info("stopped")
            if server.hasFailed { exit(Exit.unavailable) }
        } catch {
            log.error("\(error.explanation.sentence)")
            exit(Exit.unavailable)
        }
    }

    private static let log = Logger(label: "securityd") { _ in LineLogHandler() }

    private static func server(
        _ options: Options,
        _ listener: ListeningSocket,
        _ signals: CInt
    ) throws(StatusError) -> Server {
        var configuration = ServerConfiguration(
            service: try service(options),
            workers: sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2
        )
        configuration.idleExit = options.idleExit
        configuration.limits.users = options.users
        configuration.limits.promptSeconds = options.promptSeconds
        configuration.token = SoftwareToken.ofThisBuild
        let standard: String
        switch configuration.service {
        case .user(let store): standard = store + ".audit"
        case .system: standard = options.state + "/audit"
        }
        let audit = AuditLog(directory: options.audit ?? standard) { notice in
            switch notice {
            case .head(let head): log.notice("audit", metadata: ["head": "\(head.text)"])
            case .failed: log.critical("the audit log cannot be written, so changes are refused")
            }
        }
        return try Server(
            configuration,
            listener: listener.descriptor,
            signals: signals,
            audit: audit,
            report
        )
    }

    private static func report(_ event: ServerEvent) {
        switch event {
        case .reloaded(let teams): log.info("reloaded", metadata: ["teams": "\(teams)"])
        case .defect(let defect):
            let kind = defect.kind == .file ? "file" : "group"
            log.warning("\(defect.problem)", metadata: [kind: "\(defect.name)"])
        case .stopping(let isIdle):
            log.info("stopping", metadata: ["reason": isIdle ? "idle" : "request"])
        case .refused(let user, let process, let status):
            log.notice(
                "refused",
                metadata: ["uid": "\(user)", "pid": "\(process)", "status": "\(status)"]
            )
        }
    }

    /// Raises the limit of open files, which by default is lower than the limit of connections.
    private static func allowConnections() {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 16_384)
        unsafe setrlimit(files, &limit)
    }

    private static func listen(_ options: Options) throws(StatusError) -> ListeningSocket {
        if let passed = ServiceManager.passedListener() { return ListeningSocket(passed: passed) }
        switch options.service {
        case .system:
            return try ListeningSocket(
                at: options.socket ?? SystemKeychain.systemSocketPath,
                isOpenToAll: true
            )
        default:
            guard let path = options.socket ?? SystemKeychain.userSocketPath() else {
                throw StatusError(.notAvailable, .directoryMissing)
            }
            return try ListeningSocket(at: path)
        }
    }

    private static func service(_ options: Options) throws(StatusError) -> ServerConfiguration.Service {
        guard options.service == .system else {
            return .user(store: try SystemKeychain.directoryOfEnvironment())
        }
        let identify =
            try options.user == nil && geteuid() != 0
            ? IdentifyClient.connect()
            : IdentifyClient.start(options.identify ?? besideThisProgram("keychain-identify"))
        var account: ServiceAccount?
        if let user = options.user { account = try ServiceAccount(user: user, group: options.group) }
        try SystemService.prepare(state: options.state, for: account)
        let agent = AgentProgram.Paths(
            agent: options.agent ?? besideThisProgram("keychain-agent"),
            pinentry: options.pinentry
        )
        return .system(
            SystemService(
                state: options.state,
                teams: options.teams,
                programs: options.programs,
                identify: identify,
                agent: agent
            )
        )
    }

    /// Returns the path of another program in this program's directory.
    private static func besideThisProgram(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(path.directoryOfPath)/\(name)"
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
