// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@Suite(.enabled(if: AgentScene.isPossible, "needs root, and a file system without nosuid"))
struct AgentTests {
    private static let cancelled = "-128"
    private static let notAllowed = "-25308"
    private static let wrong = "-25293"
    private static let read = "protected data ak canary"

    @Test func `the agent asks for the passcode, and the client never has it`() throws {
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask(Self.read) == "0")
            #expect(scene.pinentry.prompts == 1)
            let text = try #require(scene.pinentry.descriptions.last)
            #expect(text.contains("The unsigned program \(TestTool.executable) asks for the passcode"))
            #expect(try !AgentScene.memory(of: client.process, contains: AgentScene.passcode))
            // The search itself works: it finds the item's value, which the client has in its memory.
            #expect(try AgentScene.memory(of: client.process, contains: "protected data ak"))
        }
    }

    @Test func `an LAContext is authenticated by the agent, and only until it is invalidated`() throws {
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask("add plain canary-value") == "0")
            #expect(try client.ask("prove plain").hasPrefix("0 canary-value, 0 canary-value, "))
            let text = try #require(scene.pinentry.descriptions.last)
            #expect(text.contains("The program says: to test a proof"))
        }
    }

    @Test func `the agent prompts again after a wrong passcode, but not after three`() throws {
        let wrong = ScriptedPinentry.Answer.passcode("canary-wrong")
        try AgentScene.with([wrong, .passcode(AgentScene.passcode), wrong, wrong]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask(Self.read) == "0")
            #expect(scene.pinentry.prompts == 2)
            #expect(scene.pinentry.commands.contains { $0.hasPrefix("SETERROR The passcode is wrong") })
        }
        try AgentScene.with([wrong, wrong, wrong, .passcode(AgentScene.passcode)]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask(Self.read) == Self.wrong)
            #expect(scene.pinentry.prompts == 3)
        }
    }

    @Test func `a cancelled prompt returns errSecUserCanceled`() throws {
        try AgentScene.with([.cancel]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask(Self.read) == Self.cancelled)
        }
    }

    @Test func `without a terminal and a display no agent is started`() throws {
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            let client = try ChildProcess(
                "/usr/bin/setpriv",
                [
                    "--reuid", "\(SystemDaemon.User.alice.rawValue)", "--regid",
                    "\(SystemDaemon.User.alice.rawValue)", "--clear-groups", TestTool.executable,
                ],
                environment: [
                    "KEYCHAIN_SOCKET": scene.daemon.socketPath, "KEYCHAIN_BACKEND": "daemon",
                    "PATH": "/usr/bin:/bin",
                ],
                at: .noTerminal
            )
            defer { client.end() }
            #expect(try client.ask("protected constrain ak canary") == "0")
            #expect(try client.ask(Self.read) == Self.notAllowed)
            #expect(scene.pinentry.commands.isEmpty)
        }
    }

    @Test func `the agent ignores KEYCHAIN_PINENTRY, and passes on only the variables it needs`() throws {
        let other = try ScriptedPinentry([.passcode(AgentScene.passcode)])
        try other.openToAllUsers()
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            let client = try scene.startClient(pinentry: other.path)
            defer { client.end() }
            #expect(try client.ask(Self.read) == "0")
            #expect(other.commands.isEmpty && scene.pinentry.prompts == 1)
            let text = try String(
                contentsOf: scene.pinentry.directory.appending(component: "log.env"),
                encoding: .utf8
            )
            let names = Set(text.split(separator: "\n").compactMap { $0.split(separator: "=").first })
            // The shell of the scripted pinentry adds the variables that are subtracted; the script prints `umask`.
            #expect(
                names.subtracting(["_", "PWD", "OLDPWD", "SHLVL", "umask"]) == [
                    "DISPLAY", "HOME", "LC_ALL", "PATH",
                ]
            )
            #expect(text.contains("DISPLAY=:canary\n") && text.contains("LC_ALL=C.UTF-8\n"))
            // `keychain-agent` does not keep the client's working directory and file mode mask.
            #expect(text.contains("PWD=/\n") && text.contains("umask=0077\n"))
        }
    }

    @Test func `a program that cannot gain privileges prompts by itself, as without an agent`() throws {
        let own = try ScriptedPinentry([.passcode(AgentScene.passcode)])
        try own.openToAllUsers()
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            let client = try scene.startClient(
                pinentry: own.path,
                by: ["/usr/bin/setpriv", "--no-new-privs"]
            )
            defer { client.end() }
            #expect(try client.ask(Self.read) == "0")
            #expect(own.prompts == 1 && scene.pinentry.prompts == 0)
        }
    }

    @Test func `a program that cannot run the agent prompts by itself`() throws {
        let own = try ScriptedPinentry([.passcode(AgentScene.passcode)])
        try own.openToAllUsers()
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            chmod(scene.agent, 0o2710)
            let client = try scene.startClient(pinentry: own.path)
            defer { client.end() }
            #expect(try client.ask(Self.read) == "0")
            #expect(own.prompts == 1 && scene.pinentry.prompts == 0)
        }
    }

    @Test func `a pinentry program that a user can replace is not run`() throws {
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            chown(scene.pinentry.path, SystemDaemon.User.alice.rawValue, 0)
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask(Self.read) == Self.notAllowed)
            #expect(scene.pinentry.commands.isEmpty)
        }
    }

    @Test func `security unlock-keychain prompts with the agent on a terminal`() throws {
        try AgentScene.with([.passcode(AgentScene.passcode)]) { scene in
            #expect(try scene.daemon.security(["lock-keychain"], as: .alice).isSuccess)
            let terminal = try Terminal()
            chown(terminal.name, SystemDaemon.User.alice.rawValue, 0)
            let script = "exec 2>&1; exec \"$0\" unlock-keychain <\"$1\""
            let unlock = try scene.daemon.run(
                "/usr/bin/env",
                [
                    "HOME=\(scene.daemon.directory.path)", "DISPLAY=:canary", "/bin/sh", "-c", script,
                    SecurityCommand.executable, terminal.name,
                ],
                as: .alice
            )
            defer { unlock.end() }
            #expect(try unlock.readLines() == [])
            #expect(try unlock.wait() == .exited(0))
            let text = try #require(scene.pinentry.descriptions.last)
            #expect(text.contains("asks for the passcode to unlock the keychain."))
            let info = try scene.daemon.security(["show-keychain-info"], as: .alice)
            #expect(info.text.contains("unlocked"))
        }
    }

    @Test func `security says which program asks for the passcode`() throws {
        try AgentScene.with([]) { scene in
            let status = try scene.daemon.security(["daemon-status"], as: .alice)
            #expect(status.text.contains("prompts by: agent"))
            let doctor = try scene.daemon.security(["doctor"], as: .alice)
            #expect(doctor.text.contains("keychain-agent asks for the passcode"))
        }
        try SystemDaemon.with { daemon in
            let status = try daemon.security(["daemon-status"], as: .alice)
            #expect(status.text.contains("prompts by: programs"))
            let doctor = try daemon.security(["doctor"], as: .alice)
            #expect(doctor.text.contains("programs ask for the passcode themselves"))
        }
    }
}
