// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainModel
import Synchronization

/// A server that performs the handshake and then one scripted action on each connection.
final class ScriptedDaemon: Sendable {
    enum Action: Sendable {
        case reply
        /// Closes the connection after it has read the request.
        case lose
        case sayGoodbye
    }

    struct Step: Sendable {
        let instance: Bytes16
        let action: Action

        init(_ instance: Bytes16, _ action: Action) {
            self.instance = instance
            self.action = action
        }
    }

    private let listener: CInt
    private let flags = Mutex<[Bool]>([])

    var repetitions: [Bool] { flags.withLock { $0 } }

    /// Listens at the path of a user's daemon in a directory, and serves one connection for each step.
    init(in directory: URL, _ steps: [Step]) throws {
        let path = directory.appending(component: "keychain").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        listener = clinux_listen(path + "/socket")
        guard listener >= 0 else { throw POSIXError(.EIO) }
        _ = fcntl(listener, F_SETFL, 0)
        let (listener, flags) = (listener, FlagList(self))
        Thread.detachNewThread {
            for step in steps where !Self.serve(step, listener, flags) { break }
        }
    }

    deinit { shutdown(listener, CInt(SHUT_RDWR)) }

    /// Records which calls to a server were repetitions, unless the server has been deallocated.
    private final class FlagList: Sendable {
        private weak let server: ScriptedDaemon?

        init(_ server: ScriptedDaemon) { self.server = server }

        func add(_ flag: Bool) { server?.flags.withLock { $0.append(flag) } }
    }

    /// Serves one connection; returns `false` if the listening socket is closed.
    private static func serve(_ step: Step, _ listener: CInt, _ flags: FlagList) -> Bool {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var hello = WireWriter()
        hello.value(ServerHello(nonce: .random()))
        send(Message(.serverHello, body: hello.bytes), socket)
        guard receive(socket) != nil else { return true }
        var welcome = WireWriter()
        let identity = ClaimedIdentity(identifier: "TEAM.test", accessGroups: ["TEAM.app"])
        welcome.value(Welcome(level: .embedded, identity: identity, instance: step.instance))
        send(Message(.welcome, body: welcome.bytes), socket)
        guard let request = receive(socket) else { return true }
        var reader = WireReader(request.body)
        if let header = try? reader.value(CallHeader.self) { flags.add(header.isRepetition) }
        switch step.action {
        case .lose: break
        case .sayGoodbye: send(Message(.goodbye, body: []), socket)
        case .reply:
            var reply = WireWriter()
            reply.value(DaemonReply.response(.done))
            send(Message(.response, request: request.request, body: reply.bytes), socket)
        }
        return true
    }

    private static func send(_ message: Message, _ socket: CInt) {
        let frames = message.frames
        _ = frames.withUnsafeBytes { clinux_send(socket, $0.baseAddress, $0.count) }
    }

    private static func receive(_ socket: CInt) -> Message? {
        var buffer = MessageBuffer(limit: WireLimit.message)
        while true {
            var chunk = [UInt8](repeating: 0, count: min(buffer.missing, 1 << 16))
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            if let message = try? buffer.add(chunk[..<count]) { return message }
        }
    }
}
