// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainModel
import KeychainTestSupport
import Testing

/// A `keychain-identify` that answers nothing until ``begin()``, as on a machine that is starting.
struct LateIdentify {
    let path: String
    private var signal: String { path + ".begin" }

    /// Calls the closure with a program for the daemon's option `--identify`.
    static func with(_ body: (Self) throws -> Void) throws {
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            let late = Self(path: directory.path + "/identify")
            let identify = URL(filePath: DaemonProcess.executable).deletingLastPathComponent().path
            let script = """
                #!/bin/sh
                while ! [ -e '\(late.signal)' ]; do /bin/sleep 0.05; done
                exec \(identify)/keychain-identify

                """
            // A child process writes the script, as in `SystemDaemon.copyTool`.
            let writing = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""
            let copy = try ChildProcess("/bin/sh", ["-c", writing, late.path, script], environment: [:])
            defer { copy.end() }
            try #require(try copy.wait() == .exited(0))
            try body(late)
        }
    }

    func begin() throws { try Data().write(to: URL(filePath: signal)) }
}

@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct LateIdentifyTests {
    @Test func `programs reach the level group although keychain-identify answered late`() throws {
        let (team, group) = (TestTeam(), try SystemGroup.required())
        try LateIdentify.with { late in
            try SystemDaemon.with(
                ["--identify", late.path],
                teams: { try team.trust(in: $0, group: group.name, minimumLevel: .group) }
            ) { daemon in
                try late.begin()
                let program = try daemon.copyTool("signed")
                try team.sign(program, groups: ["shared"])
                let child = try daemon.run(program, as: .alice, group: group.number)
                defer { child.end() }
                #expect(try child.ask("add canary canary-value \(team.identifier).shared") == "0")
                #expect(try daemon.recordedLevel(of: "\(team.identifier).app") == "group")
            }
        }
    }

    @Test(.enabled(if: AgentScene.isPossible, "needs a file system without nosuid"))
    func `the agent prompts although keychain-identify answered late`() throws {
        try LateIdentify.with { late in
            try AgentScene.with([.passcode(AgentScene.passcode)], identify: late) { scene in
                let client = try scene.startClient()
                defer { client.end() }
                #expect(try client.ask("protected data ak canary") == "0")
                #expect(scene.pinentry.prompts == 1)
                #expect(try !AgentScene.memory(of: client.process, contains: AgentScene.passcode))
            }
        }
    }

    @Test(.enabled(if: AgentScene.isPossible, "needs a file system without nosuid"))
    func `while keychain-identify does not answer, a prompt fails, and no program asks itself`()
        throws
    {
        try LateIdentify.with { late in
            try AgentScene.with([], identify: late) { scene in
                let client = try RawClient.introduced(to: scene.daemon.socketPath)
                let identify = try #require(AgentScene.children(of: scene.daemon.child.process).first)
                kill(identify, SIGSTOP)
                defer { kill(identify, SIGCONT) }
                let begin = DaemonCall.prompt(.begin(.unlock, reason: nil))
                guard case .failure(let error) = try client.call(begin) else {
                    return #expect(Bool(false), "no failure")
                }
                #expect(error.reason == .daemonTimeout)
            }
        }
    }
}
