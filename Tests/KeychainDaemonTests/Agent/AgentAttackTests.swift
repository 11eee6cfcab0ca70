// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Programs that imitate or disturb `keychain-agent`, which asks users for their passcode.
@Suite(.enabled(if: AgentScene.isPossible, "needs root, and a file system without nosuid"))
struct AgentAttackTests {
    private static let read = "protected data ak canary"
    /// The exit status of `keychain-agent` if the prompt to show has ended or does not exist.
    private static let stopped = ChildProcess.Ending.exited(7)
    /// The exit status of a `keychain-agent` that the daemon refuses.
    private static let refused = ChildProcess.Ending.exited(6)
    /// The exit status of a `keychain-agent` that the kernel has started without its set-group-ID group.
    private static let withoutGroup = ChildProcess.Ending.exited(8)
    private static let answers: [ScriptedPinentry.Answer] = [.shell(AgentScene.waitsAndAnswers)]

    /// Calls the closure while `keychain-agent` shows a prompt, which the user answers afterwards.
    private static func withPrompt(
        _ body: (AgentScene, (process: pid_t, prompt: String)) throws -> Void
    ) throws {
        try AgentScene.with(answers) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(read)
            try scene.waitForPrompt()
            let agent = try #require(try scene.agent(of: client))
            try body(scene, agent)
            try scene.answer()
            #expect(try client.readLine() == "0")
            #expect(scene.pinentry.prompts == 1)
            #expect(try scene.runAgent(agent.prompt) == stopped)
        }
    }

    @Test func `only an agent of the client's user gets a prompt`() throws {
        try AgentScene.with([.cancel]) { scene in
            // This test's own process begins the prompt, so no process of `keychain-agent` shows it yet.
            let client = try RawClient.introduced(to: scene.daemon.socketPath)
            guard case .prompt(let demand) = try client.call(.prompt(.begin(.unlock, reason: nil))) else {
                return #expect(Bool(false), "no prompt")
            }
            let prompt = Hexadecimal.text(demand.prompt.bytes)
            #expect(try scene.runAgent(prompt, as: .bob) == Self.stopped)
            #expect(scene.pinentry.prompts == 0)
            let own = try ChildProcess(
                scene.agent,
                ["--socket", scene.daemon.socketPath, prompt],
                environment: ["DISPLAY": ":canary"]
            )
            defer { own.end() }
            // A `keychain-agent` of the user who began the prompt gets it, and the user cancels it.
            #expect(try own.wait() == .exited(1))
            #expect(scene.pinentry.prompts == 1)
        }
    }

    @Test func `only one agent gets a prompt, and gets it once`() throws {
        try Self.withPrompt { scene, agent in
            let unknown = String(repeating: "0", count: 32)
            let endings = try [agent.prompt, unknown, "no number"].map { try scene.runAgent($0) }
            #expect(endings == [Self.stopped, Self.stopped, .exited(64)])
        }
    }

    @Test func `a copy of the agent without its group shows no prompt`() throws {
        try AgentScene.with(Self.answers) { scene in
            let imitation = scene.daemon.directory.path + "/keychain-agent"
            try AgentScene.install(imitation, isPrivileged: false)
            let prompt = String(repeating: "0", count: 32)
            #expect(try scene.runAgent(prompt, program: imitation) == Self.withoutGroup)
        }
    }

    @Test func `an agent that loads a library of the user is refused, even with the agent's group`() throws {
        try Self.withPrompt { scene, agent in
            let group = try #require(SystemGroup.withoutMembers).number
            // If the caller already has the group of `keychain-agent`, the kernel does not treat the program as
            // set-group-ID.
            #expect(try scene.runAgent(agent.prompt, group: group) == Self.withoutGroup)
            let library = try PreloadedLibrary.make(
                in: scene.daemon.directory,
                source: "unsigned getgid(void) { return 0; }"
            )
            let variables = ["LD_PRELOAD=\(library)"]
            let ending = try scene.runAgent(agent.prompt, group: group, variables: variables)
            #expect(ending == Self.refused)
            // Started as a set-group-ID program, `keychain-agent` does not load the library. The daemon does not refuse
            // it, but another process of `keychain-agent` already has the prompt.
            #expect(try scene.runAgent(agent.prompt, variables: variables) == Self.stopped)
        }
    }

    @Test func `another program with the agent's group is refused, and the refusal is recorded`() throws {
        try Self.withPrompt { scene, agent in
            let imitation = scene.daemon.directory.path + "/keychain-agent"
            try AgentScene.install(imitation, addition: "another program")
            #expect(try scene.runAgent(agent.prompt, program: imitation) == Self.refused)
            let records = try scene.daemon.security(["audit"], as: .alice).text
            let log = try String(
                contentsOf: scene.daemon.state.appending(path: "audit/000001.log"),
                encoding: .utf8
            )
            #expect(log.contains(" refuse ") || records.contains("refuse"), "\(log)")
        }
    }

    @Test func `neither the agent nor its pinentry program can be traced`() throws {
        try Self.withPrompt { scene, agent in
            let pinentry = try #require(AgentScene.children(of: agent.process).first)
            for process in [agent.process, pinentry] {
                let tracer = try scene.daemon.run(
                    "/usr/bin/python3",
                    ["-c", AttackScripts.access(AttackScripts.traces), "\(process)"],
                    as: .alice
                )
                defer { tracer.end() }
                #expect(try tracer.readLine() == "denied")
                let reader = try scene.daemon.run("/bin/cat", ["/proc/\(process)/environ"], as: .alice)
                defer { reader.end() }
                #expect(try reader.wait() == .exited(1))
            }
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a prompt ends with its agent`(signal: CInt) throws {
        try AgentScene.with([.shell(AgentScene.hangs), .passcode(AgentScene.passcode)]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(Self.read)
            try scene.waitForPrompt()
            let agent = try #require(try scene.agent(of: client))
            let pinentry = AgentScene.children(of: agent.process)
            kill(agent.process, signal)
            #expect(try ["-25308", "-128"].contains(client.readLine()))
            // A killed `keychain-agent` cannot end its pinentry program.
            if signal == SIGKILL { for process in pinentry { kill(process, SIGKILL) } }
            #expect(try scene.runAgent(agent.prompt) == Self.stopped)
            #expect(try client.ask(Self.read) == "0")
        }
    }

    @Test func `the agent and its pinentry program end with the client`() throws {
        try AgentScene.with([.shell(AgentScene.hangs)]) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(Self.read)
            try scene.waitForPrompt()
            let agent = try #require(try scene.agent(of: client)).process
            let pinentry = try #require(AgentScene.children(of: agent).first)
            client.end()
            #expect(AgentScene.isGone(agent) && AgentScene.isGone(pinentry))
        }
    }

    @Test func `a prompt that the user does not answer ends at its time limit`() throws {
        try AgentScene.with([.shell(AgentScene.hangs)], limit: 1) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            #expect(try client.ask(Self.read) == "-128")
            #expect(try scene.agent(of: client) == nil)
        }
    }

    @Test func `an agent that is stopped does not hold up the client`() throws {
        try AgentScene.with([.shell(AgentScene.hangs)], limit: 2) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(Self.read)
            for _ in 0..<1_000 {
                if let agent = try scene.agent(of: client) {
                    kill(agent.process, SIGSTOP)
                    break
                }
                usleep(1_000)
            }
            #expect(try client.readLine() == "-128")
        }
    }
}
