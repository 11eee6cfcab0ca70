// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainModel

/// A client of the daemon that can violate the wire protocol.
final class RawClient {
    let socket: CInt

    /// Connects without answering the daemon's first message.
    convenience init(to daemon: DaemonProcess) throws { try self.init(to: daemon.socketPath) }

    /// Connects to a socket at a path without answering the daemon's first message.
    init(to path: String) throws {
        socket = clinux_connect(path)
        guard socket >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(socket, F_SETFL, 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a service, and performs the handshake.
    ///
    /// Tries again if the service refuses: on a loaded machine, identifying a program can take longer than the
    /// limit of 1.5 seconds.
    static func introduced(to path: String) throws -> RawClient {
        for _ in 0..<30 {
            let client = try RawClient(to: path)
            if try client.introduce()?.kind == .welcome { return client }
            usleep(500_000)
        }
        throw POSIXError(.ETIMEDOUT)
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { clinux_send(socket, $0.baseAddress, $0.count) }
    }

    func send(_ message: Message) { send(message.frames) }

    func receive() throws -> Message? {
        var buffer = MessageBuffer(limit: WireLimit.message)
        while true {
            var chunk = [UInt8](repeating: 0, count: min(buffer.missing, 1 << 16))
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            if let message = try buffer.add(chunk[..<count]) { return message }
        }
    }

    func isClosed() throws -> Bool { try receive() == nil }

    func nonce() throws -> Bytes16 {
        guard let message = try receive() else { throw WireReader.malformed }
        return try WireReader.decode(message.body) { reader throws(StatusError) in
            try reader.value(ServerHello.self)
        }.nonce
    }

    func introduce(nonce: Bytes16, identifier: String = "TEAM.raw", version: UInt16 = WireLimit.version) {
        var writer = WireWriter()
        let claim = ClaimedIdentity(identifier: identifier, accessGroups: ["TEAM.raw"])
        writer.value(ClientHello(nonce: nonce, signature: [], claim: claim, version: version))
        send(Message(.clientHello, body: writer.bytes))
    }

    func introduce() throws -> Message? {
        introduce(nonce: try nonce())
        return try receive()
    }

    static func request(_ call: DaemonCall, deadline: UInt64 = .max, number: UInt64 = 1) -> Message {
        var writer = WireWriter()
        writer.value(CallHeader(deadline: deadline, change: call.isChange ? .random() : .zero))
        writer.value(call)
        return Message(.request, request: number, body: writer.bytes)
    }

    func call(_ call: DaemonCall, deadline: UInt64 = .max) throws -> DaemonReply? {
        send(Self.request(call, deadline: deadline))
        return try receive().map { message in
            try WireReader.decode(message.body) { reader throws(StatusError) in try reader.value() }
        }
    }
}
