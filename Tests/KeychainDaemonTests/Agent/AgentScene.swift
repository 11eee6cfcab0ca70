// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport

/// A system service with an installed `keychain-agent`, and a keychain with an item that requires the passcode.
final class AgentScene {
    static let passcode = "canary-of-agent"
    /// Shell commands that answer with the passcode when ``answer()`` is called.
    static let waitsAndAnswers =
        "while ! [ -e \"$log.go\" ]; do sleep 0.05; done; printf 'D \(passcode)\\nOK\\n'"
    static let hangs = "while :; do sleep 0.05; done"

    /// Shell commands that record the environment of the pinentry program, and print pinentry's first line, `OK`.
    private static let greeting =
        "{ env; echo \"PWD=$(pwd -P)\"; echo \"umask=$(umask)\"; } > \"$log.env\"; echo OK ready"

    /// Whether these tests can run: as root, with a group without members and a file system that honors set-group-ID.
    static var isPossible: Bool {
        SystemDaemon.isPossible && SystemGroup.withoutMembers != nil
            && SetGroupIDProgram.honorsSetGroupID(FileManager.default.temporaryDirectory.path)
    }

    let daemon: SystemDaemon
    let pinentry: ScriptedPinentry
    let agent: String

    private init(_ daemon: SystemDaemon, _ pinentry: ScriptedPinentry, _ agent: String) throws {
        self.daemon = daemon
        self.pinentry = pinentry
        self.agent = agent
        let set = try daemon.security(["set-keychain-password", "-p", Self.passcode], as: .alice)
        guard set.isSuccess else { throw AttackFailure(description: set.text) }
    }

    /// Calls `body` with a new scene, in which the user gives these answers.
    ///
    /// `identify` begins to answer when the daemon is ready.
    static func with(
        _ answers: [ScriptedPinentry.Answer],
        limit: Int = 300,
        identify: LateIdentify? = nil,
        _ body: (AgentScene) throws -> Void
    ) throws {
        let pinentry = try ScriptedPinentry(answers, greeting: Self.greeting)
        try pinentry.openToAllUsers()
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            let agent = directory.path + "/keychain-agent"
            try install(agent)
            let arguments = [
                "--agent", agent, "--pinentry", pinentry.path, "--prompt-limit", "\(limit)",
            ]
            let identifying = identify.map { ["--identify", $0.path] } ?? []
            try SystemDaemon.with(arguments + identifying) { daemon in
                try identify?.begin()
                try body(AgentScene(daemon, pinentry, agent))
            }
        }
    }

    /// Copies `keychain-agent` as a package installs it; `isPrivileged` is false for a copy without its group.
    ///
    /// `addition` is added to the file, which changes its digest.
    static func install(_ path: String, isPrivileged: Bool = true, addition: String = "") throws {
        let built = URL(filePath: TestTool.executable).deletingLastPathComponent()
            .appending(component: "keychain-agent").path
        let group = isPrivileged ? SystemGroup.withoutMembers?.name ?? "" : "root"
        let script =
            "cp \"$0\" \"$1\" && printf %s \"$4\" >>\"$1\" && chgrp \"$2\" \"$1\" && chmod \"$3\" \"$1\""
        let arguments = ["-c", script, built, path, group, isPrivileged ? "2755" : "755", addition]
        let copy = try ChildProcess("/bin/sh", arguments, environment: [:])
        defer { copy.end() }
        guard try copy.wait() == .exited(0) else { throw StartFailure(ending: copy.end()) }
    }

    /// Starts the test tool as the user, and lets it store an item that requires the passcode.
    ///
    /// `wrapper` is a command that runs the test tool.
    func startClient(
        display: String = ":canary",
        pinentry: String? = nil,
        by wrapper: [String] = []
    ) throws -> ChildProcess {
        let variables = [
            "DISPLAY=\(display)", "KEYCHAIN_PINENTRY=\(pinentry ?? "pinentry")", "LC_ALL=C.UTF-8",
        ]
        let client = try daemon.run(
            "/usr/bin/env",
            variables + wrapper + [TestTool.executable],
            as: .alice
        )
        let status = try client.ask("protected constrain ak canary")
        guard status == "0" else { throw AttackFailure(description: "not stored: \(status)") }
        return client
    }

    /// Lets the waiting pinentry script ``waitsAndAnswers`` answer with the passcode.
    func answer() throws {
        try Data().write(to: URL(filePath: pinentry.path + "/../log.go").standardizedFileURL)
    }

    func waitForPrompt() throws {
        for _ in 0..<6_000 {
            if pinentry.prompts > 0 { return }
            usleep(10_000)
        }
        throw AttackFailure(description: "no prompt")
    }

    func runAgent(
        _ prompt: String,
        as user: SystemDaemon.User = .alice,
        group: gid_t? = nil,
        program: String? = nil,
        variables: [String] = []
    ) throws -> ChildProcess.Ending {
        let command = [program ?? agent, "--socket", daemon.socketPath, prompt]
        let arguments = ["DISPLAY=:canary"] + variables + command
        let child = try daemon.run("/usr/bin/env", arguments, as: user, group: group)
        defer { child.end() }
        return try child.wait()
    }

    /// The process of `keychain-agent` that the client has started, and its prompt's number; `nil` without one.
    func agent(of client: ChildProcess) throws -> (process: pid_t, prompt: String)? {
        for process in Self.children(of: client.process) {
            let words = Self.text("/proc/\(process)/cmdline").split(separator: "\0").map(String.init)
            if words.first == agent, let prompt = words.last { return (process, prompt) }
        }
        return nil
    }

    static func children(of parent: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ")
            return fields?.dropFirst().first.flatMap { pid_t($0) } == parent
        }
    }

    private static func text(_ path: String) -> String {
        (try? String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)) ?? ""
    }

    static func memory(of process: pid_t, contains text: String) throws -> Bool {
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw AttackFailure(description: "mem: \(errno)") }
        defer { close(memory) }
        let wanted = Data(text.utf8)
        for line in Self.text("/proc/\(process)/maps").split(separator: "\n") {
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard ends.count == 2, fields[1].hasPrefix("rw") else { continue }
            var bytes = Data(count: Int(ends[1] - ends[0]))
            let count = bytes.withUnsafeMutableBytes {
                pread(memory, $0.baseAddress, $0.count, off_t(ends[0]))
            }
            if count > 0, bytes.prefix(count).range(of: wanted) != nil { return true }
        }
        return false
    }

    /// Waits up to a minute for a process to end; returns whether it has ended.
    static func isGone(_ process: pid_t) -> Bool {
        for _ in 0..<6_000 {
            if kill(process, 0) != 0 { return true }
            usleep(10_000)
        }
        return false
    }
}
