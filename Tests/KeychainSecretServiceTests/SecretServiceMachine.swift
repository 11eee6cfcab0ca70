// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Synchronization
import Testing

/// A private D-Bus on which a test runs the Secret Service, with a store in a temporary folder.
final class SecretServiceMachine: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// The output of a program, standard error included, and how the program ended.
    struct Output {
        let lines: [String]
        let ending: ChildProcess.Ending

        var text: String { lines.joined(separator: "\n") }
    }

    private static let busProgram = "/usr/bin/dbus-daemon"
    private static let clients = ["/usr/bin/secret-tool", "/usr/bin/dbus-send", "/usr/bin/python3"]

    /// Enables tests in builds with the trait SecretService, if the programs are installed (see `Scripts/test`).
    static let isAvailable: ConditionTrait = .enabled(
        "needs the trait SecretService (apt-get install dbus libsecret-tools python3-secretstorage)"
    ) {
        #if SecretService
        ([busProgram] + clients).allSatisfy(FileManager.default.isExecutableFile)
        #else
        false
        #endif
    }

    enum Backend: String, CaseIterable, Sendable {
        case embedded
        /// The store is served by `securityd --user`.
        case daemon
    }

    /// The user of the bus and its programs: the user who runs the tests, or an unprivileged user if that user is root.
    enum User: CaseIterable, Sendable {
        case current, unprivileged

        static let allCases: [Self] = canChange ? [.current, .unprivileged] : [.current]

        private static let identifier: uid_t = 65_534
        private static let canChange: Bool = {
            guard geteuid() == 0 else { return false }
            let words = unprivileged.words(["/bin/true"])
            let child = try? ChildProcess(words[0], Array(words.dropFirst()), environment: [:])
            return (try? child?.wait()) == .exited(0)
        }()

        /// Returns the command line that runs a program as this user.
        fileprivate func words(_ program: [String]) -> [String] {
            let number = String(Self.identifier)
            let prefix = ["/usr/bin/setpriv", "--reuid", number, "--regid", number, "--clear-groups"]
            return self == .current ? program : prefix + program
        }

        fileprivate func own(_ directory: URL) throws {
            guard self == .unprivileged else { return }
            guard chown(directory.path, Self.identifier, Self.identifier) == 0 else {
                throw Failure(description: "chown: \(errno)")
            }
        }
    }

    let directory: URL
    let environment: [String: String]
    private let user: User
    private let bus: ChildProcess
    private let daemon = Mutex<ChildProcess?>(nil)
    private let watchdog: Watchdog

    init(
        _ variables: [String: String] = [:],
        over backend: Backend = .embedded,
        as user: User = .current
    ) throws {
        self.user = user
        // The keychain caches keys only in a runtime directory that is in memory.
        let memory = URL(filePath: "/dev/shm")
        let isWritable = FileManager.default.isWritableFile(atPath: memory.path)
        directory = (isWritable ? memory : .temporaryDirectory).appending(component: "s-\(UUID())")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try user.own(directory)
        watchdog = try Watchdog(of: directory)
        let address = "unix:path=\(directory.path)/bus"
        let usual = [
            // Tests that compile a program may find the compiler only in the PATH of the test run.
            "PATH": "/usr/bin:/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
            "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path,
            "KEYCHAIN_HOME": directory.path + "/store", "KEYCHAIN_BACKEND": backend.rawValue,
            "KEYCHAIN_PINENTRY": "", "LC_ALL": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": address,
            // Tests must not reach the services on the system bus of this machine.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.path)/none",
        ]
        environment = usual.merging(variables) { $1 }
        let words = user.words([
            Self.busProgram, "--session", "--address=\(address)", "--nofork", "--nopidfile",
            "--print-address=1",
        ])
        bus = try ChildProcess(words[0], Array(words.dropFirst()), environment: environment, at: .noTerminal)
        try watchdog.watch(bus)
        // The bus prints its address once it listens.
        _ = try bus.readLine()
        if backend == .daemon { try startDaemon() }
    }

    deinit {
        let programs = [bus] + [daemon.withLock(\.self)].compactMap { $0 }
        for program in programs { program.end() }
        watchdog.stopWatching(programs)
    }

    static func path(_ product: String) -> String {
        URL(filePath: TestTool.executable).deletingLastPathComponent().appending(component: product).path
    }

    /// Starts a program as the user of this machine, without waiting.
    func launch(
        _ program: String,
        _ arguments: [String],
        _ variables: [String: String] = [:]
    ) throws -> ChildProcess {
        let words = user.words([program] + arguments)
        let child = try ChildProcess(
            words[0],
            Array(words.dropFirst()),
            environment: environment.merging(variables) { $1 },
            at: .noTerminal
        )
        try watchdog.watch(child)
        return child
    }

    /// Starts the service and waits until it owns its name.
    func start(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> ChildProcess {
        try waitUntilReady(launch(Self.path("keychain-secret-service"), arguments, variables))
    }

    /// Starts `securityd --user` and waits until it serves the store of this machine.
    func startDaemon() throws {
        let started = try waitUntilReady(launch(Self.path("securityd"), ["--user"]))
        daemon.withLock { $0 = started }
    }

    func stopDaemon() throws {
        guard let running = daemon.withLock({ $0.take() }) else { return }
        let ending = try stop(running)
        guard ending == .exited(0) else { throw Failure(description: "securityd ended: \(ending)") }
    }

    private func waitUntilReady(_ service: ChildProcess) throws -> ChildProcess {
        while let line = try service.readLine() {
            if line.hasSuffix(": ready") { return service }
        }
        throw Failure(description: "the service ended: \(service.end())")
    }

    /// Ends the service as a service manager does, and returns how it ended.
    func stop(_ service: ChildProcess) throws -> ChildProcess.Ending {
        kill(service.process, SIGTERM)
        let ending = try service.wait()
        watchdog.stopWatching([service])
        return ending
    }

    func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> Output {
        let path = program.hasPrefix("/") ? program : Self.path(program)
        // The shell sends standard error to standard output, and becomes the program.
        let child = try launch("/bin/sh", ["-c", "exec \"$0\" \"$@\" 2>&1", path] + arguments)
        if let input { try child.send(input) }
        child.finishInput()
        let lines = try child.readLines()
        let ending = try child.wait()
        watchdog.stopWatching([child])
        return Output(lines: lines, ending: ending)
    }

    /// Runs a Python program; a failed `assert` makes it end with 1.
    func python(_ program: String, _ arguments: String...) throws -> Output {
        try run("/usr/bin/python3", ["-c", program] + arguments)
    }

    func setPasscode() throws {
        let output = try run("security", ["set-keychain-password", "-p", Self.passcode])
        guard output.ending == .exited(0) else { throw Failure(description: output.text) }
    }

    static let passcode = "canary-passcode"

    func lock() throws {
        let output = try run("security", ["lock-keychain"])
        guard output.ending == .exited(0) else { throw Failure(description: output.text) }
    }

    func secretTool(_ arguments: String..., input: String? = nil) throws -> Output {
        try run("/usr/bin/secret-tool", arguments, input: input)
    }
}
