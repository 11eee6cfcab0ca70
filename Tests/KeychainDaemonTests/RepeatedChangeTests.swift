// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Changes that a client sends again because it did not get the reply.
@Suite struct RepeatedChangeTests {
    private static func addition(_ account: String, returning: ReturnKeys = []) -> DaemonCall {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        attributes[.accessible] = .string("ak")
        attributes[.synchronizable] = .number(0)
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer("canary value".utf8),
            accessControl: nil,
            returning: returning
        )
        return .perform(.add(item), CallCredential())
    }

    private static func send(
        _ call: DaemonCall,
        change: Bytes16,
        isRepetition: Bool = false,
        as program: String,
        to daemon: DaemonProcess
    ) throws -> DaemonReply {
        let client = try RawClient(to: daemon)
        client.introduce(nonce: try client.nonce(), identifier: program)
        #expect(try client.receive()?.kind == .welcome)
        var writer = WireWriter()
        writer.value(CallHeader(deadline: .max, change: change, isRepetition: isRepetition))
        writer.value(call)
        client.send(Message(.request, request: 1, body: writer.bytes))
        let answer = try #require(try client.receive())
        return try WireReader.decode(answer.body) { reader throws(StatusError) in try reader.value() }
    }

    private static func reason(of reply: DaemonReply) -> Reason? {
        if case .failure(let error) = reply { error.reason } else { nil }
    }

    @Test func `changes of another program do not make the daemon apply a repeated change again`() throws {
        try DaemonProcess.with { daemon in
            let change = Bytes16.random()
            let call = Self.addition("canary")
            let first = try Self.send(call, change: change, as: "TEAM.one", to: daemon)
            guard case .response = first else { return #expect(Bool(false), "not added") }
            for _ in 0..<100 {
                let other = DaemonCall.setLockSettings(LockSettings(interval: nil))
                _ = try Self.send(other, change: .random(), as: "TEAM.two", to: daemon)
            }
            let again = try Self.send(call, change: change, isRepetition: true, as: "TEAM.one", to: daemon)
            guard case .response = again else { return #expect(Bool(false), "applied again") }
        }
    }

    @Test func `a repeated change whose outcome is no longer kept is refused`() throws {
        try DaemonProcess.with { daemon in
            let call = Self.addition("canary")
            let reply = try Self.send(
                call,
                change: .random(),
                isRepetition: true,
                as: "TEAM.one",
                to: daemon
            )
            #expect(Self.reason(of: reply) == .outcomeUnknown)
            guard case .response = try Self.send(call, change: .random(), as: "TEAM.one", to: daemon) else {
                return #expect(Bool(false), "the refused change was applied")
            }
        }
    }

    @Test func `the daemon does not keep a reply with a value`() throws {
        try DaemonProcess.with { daemon in
            let (call, change) = (Self.addition("canary", returning: .data), Bytes16.random())
            guard
                case .response(.items(let items)) = try Self.send(
                    call,
                    change: change,
                    as: "TEAM.raw",
                    to: daemon
                )
            else { return #expect(Bool(false), "not added") }
            #expect(items.first?.secret != nil)
            let again = try Self.send(call, change: change, isRepetition: true, as: "TEAM.raw", to: daemon)
            #expect(Self.reason(of: again) == .outcomeUnknown)
        }
    }

    @Test func `a goodbye after a lost reply does not make a restarted daemon apply the change again`() throws
    {
        try TestTool.withDirectory { directory in
            let (before, after) = (Bytes16.random(), Bytes16.random())
            let daemon = try ScriptedDaemon(
                in: directory,
                [.init(before, .lose), .init(before, .sayGoodbye), .init(after, .reply)]
            )
            let client = DaemonKeychain(
                at: .ofUser(runtimeDirectory: directory.path),
                claim: Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])
            )
            let error = #expect(throws: StatusError.self) { try NumberedItems.add(1, to: client) }
            #expect(error?.reason == .outcomeUnknown)
            #expect(daemon.repetitions == [false, true])
        }
    }
}
