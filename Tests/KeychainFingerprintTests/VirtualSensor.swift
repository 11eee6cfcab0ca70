// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The control socket of libfprint's simulated sensor.
struct VirtualSensor: Sendable {
    struct Failure: Error {}

    let path: String

    /// Sends a command and waits until the sensor has read it.
    func tell(_ command: String) throws {
        let socket = try Self.socket(at: path, connect)
        defer { close(socket) }
        guard send(socket, command, command.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { throw Failure() }
        shutdown(socket, Int32(SHUT_WR))
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var byte: UInt8 = 0
        guard read(socket, &byte, 1) >= 0 else { throw Failure() }
    }

    /// Returns a listening socket that never answers.
    static func listen(at path: String) throws -> Int32 {
        let socket = try socket(at: path, bind)
        guard Glibc.listen(socket, 8) == 0 else { throw Failure() }
        return socket
    }

    private static func socket(
        at path: String,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = path.utf8.count < MemoryLayout.size(ofValue: address.sun_path)
        if fits { withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) } }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard fits, result == 0 else {
            close(socket)
            throw Failure()
        }
        return socket
    }

    /// Queues fingers for the next program that starts the sensor; the sensor must be off.
    ///
    /// The sensor drops the first command it finds when it starts, so an additional one is sent first.
    func expect(_ fingers: [String]) throws {
        for command in ["SCAN lost"] + fingers.map({ "SCAN \($0)" }) { try tell(command) }
    }

    func expect(_ fingers: String...) throws { try expect(fingers) }

    func remove() { unlink(path) }
}
