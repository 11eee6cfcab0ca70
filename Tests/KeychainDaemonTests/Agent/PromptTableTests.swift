// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// Prompts for the passcode, and which processes may show, answer and end them.
@Suite struct PromptTableTests {
    private static let ended = StatusError(.authenticationFailed, .promptEnded)
    private static let cancelled = StatusError(.userCanceled, .promptCanceled)

    private final class Scene: Sendable {
        private let time = Atomic<UInt64>(1_000)
        private let audit: AuditLog

        init(_ directory: String) { audit = AuditLog(directory: directory + "/audit") }

        func table() -> PromptTable {
            PromptTable(seconds: 10, now: { self.time.load(ordering: .relaxed) }, onBegin: {})
        }

        func advance(seconds: UInt64) { time.add(seconds * 1_000, ordering: .relaxed) }

        func session(of user: UInt32) -> Session {
            let caller = Caller(applicationIdentifier: "TEAM.test", accessGroups: [])
            let identity = CallerIdentity(
                caller: caller,
                level: .digest,
                user: user,
                executable: nil,
                image: nil
            )
            let audit = SessionAudit(audit, identity, process: 1)
            return Session(identity, limit: 64, audit: audit, socket: Descriptor(-1))
        }
    }

    private static func with(_ body: (Scene, PromptTable) throws -> Void) throws {
        try TestTool.withDirectory { directory in
            let scene = Scene(directory.path)
            try body(scene, scene.table())
        }
    }

    @Test func `a prompt is given once, and to an agent of its user only`() throws {
        try Self.with { scene, table in
            let prompt = try table.begin(.unlock, reason: "canary", for: scene.session(of: 1))
            let agent = scene.session(of: 1)
            #expect(throws: Self.ended) { try table.take(prompt, by: scene.session(of: 2)) }
            #expect(throws: Self.ended) { try table.take(.random(), by: agent) }
            #expect(try table.take(prompt, by: agent).reason == "canary")
            #expect(throws: Self.ended) { try table.take(prompt, by: agent) }
            #expect(throws: Self.ended) { try table.take(prompt, by: scene.session(of: 1)) }
        }
    }

    @Test func `a prompt is neither taken nor answered after its time limit`() throws {
        try Self.with { scene, table in
            let (client, agent) = (scene.session(of: 1), scene.session(of: 1))
            let shown = try table.begin(.unlock, reason: nil, for: client)
            let other = try table.begin(.unlock, reason: nil, for: client)
            _ = try table.take(shown, by: agent)
            scene.advance(seconds: 10)
            #expect(throws: Self.ended) { try table.take(other, by: agent) }
            #expect(throws: Self.ended) { try table.client(of: shown, answeredBy: agent) }
            #expect(table.endOverdue() == -1)
            #expect(!table.complete(shown, keptKey: nil))
            #expect(throws: Self.cancelled) { try table.end(shown, for: client) }
        }
    }

    @Test func `a connection may have two prompts, which end independently`() throws {
        try Self.with { scene, table in
            let (client, agents) = (scene.session(of: 1), [scene.session(of: 1), scene.session(of: 1)])
            let first = try table.begin(.authenticate, reason: nil, for: client)
            _ = try table.take(first, by: agents[0])
            let second = try table.begin(.authenticate, reason: nil, for: client)
            _ = try table.take(second, by: agents[1])
            #expect(table.complete(first, keptKey: 7))
            #expect(table.complete(second, keptKey: 8))
            #expect(try table.end(first, for: client) == 7)
            #expect(try table.end(second, for: client) == 8)
        }
    }

    @Test func `an answer to a prompt that has ended is not kept`() throws {
        try Self.with { scene, table in
            let (client, agent) = (scene.session(of: 1), scene.session(of: 1))
            let prompt = try table.begin(.authenticate, reason: nil, for: client)
            _ = try table.take(prompt, by: agent)
            #expect(throws: Self.cancelled) { try table.end(prompt, for: client) }
            #expect(!table.complete(prompt, keptKey: 7))
            #expect(!table.refuse(prompt, StatusError(.authenticationFailed, .passcodeWrong)))
            #expect(throws: Self.ended) { try table.end(prompt, for: client) }
        }
    }

    @Test func `prompts that a client has abandoned do not count towards the user's limit`() throws {
        try Self.with { scene, table in
            let client = scene.session(of: 1)
            for _ in 0..<16 { _ = try table.begin(.unlock, reason: nil, for: client) }
            let full = StatusError(.notAvailable, .overloaded)
            #expect(throws: full) { try table.begin(.unlock, reason: nil, for: client) }
            scene.advance(seconds: 10)
            _ = table.endOverdue()
            #expect(throws: full) { try table.begin(.unlock, reason: nil, for: client) }
            scene.advance(seconds: 11)
            _ = try table.begin(.unlock, reason: nil, for: client)
        }
    }
}
