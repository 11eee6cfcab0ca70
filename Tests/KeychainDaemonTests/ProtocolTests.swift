// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Clients that violate the wire protocol, with a `securityd` process.
@Suite struct ProtocolTests {
    @Test func `a client that follows the protocol is served`() throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            #expect(try client.introduce()?.kind == .welcome)
            guard case .daemon(let status) = try client.call(.plain(.daemonStatus)) else {
                Issue.record("no status")
                return
            }
            #expect(status.process == UInt32(daemon.child.process))
        }
    }

    /// Names and bytes of messages after which the daemon closes the connection.
    static let broken: [(String, [UInt8])] = [
        ("zeros", [UInt8](repeating: 0, count: 16)),
        ("an HTTP request", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        ("a length above the limit", [0xff, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 12)),
        ("a request before the hello", RawClient.request(.plain(.itemCount)).frames),
        (
            "a hello above the limit of the handshake",
            Message(.clientHello, body: [UInt8](repeating: 0, count: 1 << 17)).frames
        ),
        ("a server's hello", Message(.serverHello, body: []).frames),
    ]

    @Test(arguments: broken)
    func `a connection that does not follow the protocol is closed`(name: String, bytes: [UInt8]) throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            _ = try client.nonce()
            client.send(bytes)
            #expect(try client.isClosed())
            #expect(throws: Never.self) { try daemon.client().daemonStatus() }
        }
    }

    @Test func `a wrong nonce, version or identifier is refused with an error`() throws {
        try DaemonProcess.with { daemon in
            let attempts: [(RawClient, Bytes16) -> Void] = [
                { client, _ in client.introduce(nonce: .random()) },
                { client, nonce in client.introduce(nonce: nonce, version: 9) },
                { client, nonce in client.introduce(nonce: nonce, identifier: "") },
            ]
            for attempt in attempts {
                let client = try RawClient(to: daemon)
                attempt(client, try client.nonce())
                #expect(try client.receive()?.kind == .refused)
                #expect(try client.isClosed())
            }
            #expect(try daemon.client().daemonStatus().refusedConnections == 3)
        }
    }

    @Test func `a malformed request gets an error and leaves the connection open`() throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            _ = try client.introduce()
            client.send(Message(.request, request: 5, body: [1, 2, 3]))
            let answer = try #require(try client.receive())
            #expect(answer.request == 5)
            let reply: DaemonReply = try WireReader.decode(answer.body) { reader throws(StatusError) in
                try reader.value()
            }
            guard case .failure(let error) = reply else {
                Issue.record("no failure")
                return
            }
            #expect(error == StatusError(.undecodable, .malformedMessage))
            guard case .number(0) = try client.call(.plain(.itemCount)) else {
                // Counting items fails, because there is no store yet.
                guard case .failure(let missing) = try client.call(.plain(.itemCount)) else {
                    Issue.record("no reply")
                    return
                }
                #expect(missing.reason == .storeMissing)
                return
            }
        }
    }

    @Test func `a request whose deadline has passed is not executed`() throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            _ = try client.introduce()
            let passcode = SentSecret(
                SecretBytes(count: 6) { $0.initializeMemory(as: UInt8.self, repeating: 65) }
            )
            guard case .failure(let error) = try client.call(.secret(.setPasscode, passcode), deadline: 1)
            else {
                Issue.record("executed")
                return
            }
            #expect(error == StatusError(.notAvailable, .daemonTimeout))
            #expect(!FileManager.default.fileExists(atPath: daemon.store.path))
        }
    }

    @Test func `a change that is repeated is applied once, with the first reply`() throws {
        try DaemonProcess.with { daemon in
            var attributes = Attributes()
            attributes[.account] = .string("canary")
            attributes[.accessible] = .string("ak")
            attributes[.synchronizable] = .number(0)
            let item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: nil)
            let message = RawClient.request(.perform(.add(item), CallCredential()))
            for _ in 0..<3 {
                let client = try RawClient(to: daemon)
                _ = try client.introduce()
                client.send(message)
                let answer = try #require(try client.receive())
                // Each connection sends the same message, with the same change identifier. A daemon that applied the
                // change again would report a duplicate.
                #expect(answer.body.starts(with: [2]), "\(answer.body)")
            }
        }
    }

    @Test func `sending a descriptor closes the connection`() throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            _ = try client.introduce()
            let frames = RawClient.request(.plain(.itemCount)).frames
            let sent = clinux_send_descriptor(client.socket, frames, frames.count, client.socket)
            #expect(sent == frames.count)
            #expect(try client.isClosed())
        }
    }

    @Test func `bytes sent by another process close the connection`() throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            _ = try client.introduce()
            #expect(fcntl(client.socket, F_SETFD, 0) == 0)
            // A child process that inherited the connection sends a valid request.
            let octal = RawClient.request(.plain(.daemonStatus)).frames.map { String(format: "\\%03o", $0) }
            let script = "printf '\(octal.joined())' >&\(client.socket); echo done"
            let child = try ChildProcess("/bin/bash", ["-c", script], environment: [:])
            defer { child.end() }
            #expect(try child.readLine() == "done")
            #expect(try client.isClosed())
        }
    }

    @Test func `a client that does not answer the hello is disconnected`() throws {
        try DaemonProcess.with { daemon in
            let client = try RawClient(to: daemon)
            _ = try client.nonce()
            client.send([12])
            #expect(try client.isClosed())
        }
    }

    @Test func `connections without a handshake do not block others`() throws {
        try DaemonProcess.with { daemon in
            let silent = (0..<200).compactMap { _ in try? RawClient(to: daemon) }
            #expect(silent.count == 200)
            // The daemon closes connections above the limit of 64 unfinished handshakes at once, and the other ones
            // without a handshake after two seconds.
            var status: DaemonStatus?
            while status == nil { status = try? daemon.client().daemonStatus() }
            #expect(status.map { $0.refusedConnections >= 136 } == true)
        }
    }

    @Test func `the daemon survives a client that disconnects before the reply`() throws {
        try DaemonProcess.with { daemon in
            for _ in 0..<50 {
                let client = try RawClient(to: daemon)
                _ = try client.introduce()
                client.send(RawClient.request(.plain(.daemonStatus)))
            }
            #expect(try daemon.client().daemonStatus().requests <= 50)
        }
    }

    @Test func `the daemon writes no core dumps`() throws {
        try DaemonProcess.with { daemon in
            let status = try KernelFile.text("/proc/\(daemon.child.process)/limits")
            let line = status.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(line?.split(separator: " ").dropFirst(4).first == "0")
        }
    }
}
