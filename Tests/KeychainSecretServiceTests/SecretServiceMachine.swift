// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A private D-Bus and the service on it, with a store in a temporary folder.
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

    /// Enables tests if the programs are installed; `Scripts/test` installs them.
    static let isAvailable: ConditionTrait = .enabled(
        "needs the trait SecretService (apt-get install dbus libsecret-tools python3-secretstorage)"
    ) {
        #if SecretService
        ([busProgram] + clients).allSatisfy(FileManager.default.isExecutableFile)
        #else
        false
        #endif
    }

    let directory: URL
    let environment: [String: String]
    private let bus: ChildProcess
    private let watchdog: Watchdog

    init(_ variables: [String: String] = [:]) throws {
        // The keychain caches keys only in a runtime directory that is in memory.
        let memory = URL(filePath: "/dev/shm")
        let isWritable = FileManager.default.isWritableFile(atPath: memory.path)
        directory = (isWritable ? memory : .temporaryDirectory).appending(component: "s-\(UUID())")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        watchdog = try Watchdog(of: directory)
        let address = "unix:path=\(directory.path)/bus"
        let usual = [
            // Tests that compile a program may find the compiler only in the PATH of the test run.
            "PATH": "/usr/bin:/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
            "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path,
            "KEYCHAIN_HOME": directory.path + "/store", "KEYCHAIN_BACKEND": "embedded",
            "KEYCHAIN_PINENTRY": "", "LC_ALL": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": address,
            // Tests must not reach the services on the system bus of this machine.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.path)/none",
        ]
        environment = usual.merging(variables) { $1 }
        bus = try ChildProcess(
            Self.busProgram,
            ["--session", "--address=\(address)", "--nofork", "--nopidfile", "--print-address=1"],
            environment: environment,
            at: .noTerminal
        )
        try watchdog.watch(bus)
        // The bus prints its address once it listens.
        _ = try bus.readLine()
    }

    deinit {
        bus.end()
        watchdog.stopWatching([bus])
    }

    static func path(_ product: String) -> String {
        URL(filePath: TestTool.executable).deletingLastPathComponent().appending(component: product).path
    }

    /// Starts the service and waits until it owns its name.
    func start(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> ChildProcess {
        let service = try ChildProcess(
            Self.path("keychain-secret-service"),
            arguments,
            environment: environment.merging(variables) { $1 },
            at: .noTerminal
        )
        try watchdog.watch(service)
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
        let child = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", path] + arguments,
            environment: environment,
            at: .noTerminal
        )
        try watchdog.watch(child)
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
