// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainDaemon
import KeychainModel
import KeychainTestSupport
import Testing

/// Calls that take longer than a message may take to arrive.
@Suite struct SlowCallTests {
    @Test func `a call may take longer than the time limit of its message`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store").path
            let path = directory.appending(component: "keychain").path + "/socket"
            var configuration = ServerConfiguration(service: .user(store: store), workers: 4)
            configuration.limits.messageMilliseconds = 3_000
            let listener = try ListeningSocket(at: path)
            let signals = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
            let audit = AuditLog(directory: store + ".audit")
            let server = try Server(
                configuration,
                listener: listener.descriptor,
                signals: signals,
                audit: audit
            )
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                server.run()
                ended.signal()
            }
            defer {
                server.stop()
                ended.wait()
                listener.remove()
            }
            let client = try RawClient(to: path)
            #expect(try client.introduce()?.kind == .welcome)
            guard case .response = try client.call(Self.addition("first", size: 1)) else {
                return #expect(Bool(false), "not added")
            }
            let lock = open(store + "/writer.lock", O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX) == 0)
            // The message arrives in two parts, and the call then waits for the lock.
            let frames = RawClient.request(Self.addition("second", size: 100_000)).frames
            client.send(Array(frames[..<1_000]))
            usleep(200_000)
            client.send(Array(frames[1_000...]))
            usleep(4_000_000)
            #expect(flock(lock, LOCK_UN) == 0)
            #expect(try client.receive()?.kind == .response)
        }
    }

    private static func addition(_ account: String, size: Int) -> DaemonCall {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        attributes[.accessible] = .string("ak")
        attributes[.synchronizable] = .number(0)
        let secret = SecretBuffer([UInt8](repeating: 65, count: size))
        let item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret)
        return .perform(.add(item), CallCredential())
    }
}
