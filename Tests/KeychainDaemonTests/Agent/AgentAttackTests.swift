// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Programs that imitate or disturb the daemon's agent.
@Suite(.enabled(if: AgentScene.isPossible, "needs root, and a file system without nosuid"))
struct AgentAttackTests {
    private static let read = "protected data ak canary"
    /// The exit status of an agent whose prompt has ended or does not exist.
    private static let stopped = ChildProcess.Ending.exited(7)
    private static let answers: [ScriptedPinentry.Answer] = [.shell(AgentScene.waitsAndAnswers)]

    @Test func `a prompt is given only once, and only to an agent of the same user`() throws {
        try AgentScene.with(Self.answers) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(Self.read)
            try scene.waitForPrompt()
            let agent = try #require(try scene.agent(of: client))
            let unknown = String(repeating: "0", count: 32)
            #expect(try scene.runAgent(agent.prompt, as: .bob) == Self.stopped)
            #expect(try scene.runAgent(agent.prompt) == Self.stopped)
            #expect(try scene.runAgent(unknown) == Self.stopped)
            #expect(try scene.runAgent("no number") == .exited(64))
            try scene.answer()
            #expect(try client.readLine() == "0")
            #expect(scene.pinentry.prompts == 1)
            #expect(try scene.runAgent(agent.prompt) == Self.stopped)
        }
    }

    @Test func `a program without the agent's group is refused, and the refusal is recorded`() throws {
        try AgentScene.with(Self.answers) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(Self.read)
            try scene.waitForPrompt()
            let agent = try #require(try scene.agent(of: client))
            let imitation = scene.daemon.directory.path + "/keychain-agent"
            try AgentScene.install(imitation, isPrivileged: false)
            #expect(try scene.runAgent(agent.prompt, program: imitation) == Self.stopped)
            let records = try scene.daemon.security(["audit"], as: .alice).text
            let log = try String(
                contentsOf: scene.daemon.state.appending(path: "audit/000001.log"),
                encoding: .utf8
            )
            #expect(log.contains(" refuse ") || records.contains("refuse"), "\(log)")
            try scene.answer()
            #expect(try client.readLine() == "0")
        }
    }

    @Test func `neither the agent nor its pinentry program can be traced`() throws {
        try AgentScene.with(Self.answers) { scene in
            let client = try scene.startClient()
            defer { client.end() }
            try client.send(Self.read)
            try scene.waitForPrompt()
            let agent = try #require(try scene.agent(of: client)).process
            let pinentry = try #require(AgentScene.children(of: agent).first)
            for process in [agent, pinentry] {
                let tracer = try scene.daemon.run(
                    "/usr/bin/python3",
                    ["-c", AttackScripts.trace, "\(process)"],
                    as: .alice
                )
                defer { tracer.end() }
                #expect(try tracer.readLine() == "denied")
                let reader = try scene.daemon.run("/bin/cat", ["/proc/\(process)/environ"], as: .alice)
                defer { reader.end() }
                #expect(try reader.wait() == .exited(1))
            }
            try scene.answer()
            #expect(try client.readLine() == "0")
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
            // A killed agent cannot end its pinentry program.
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
