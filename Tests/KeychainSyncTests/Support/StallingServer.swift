// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainSync

/// A server on loopback that accepts connections, sends a fixed start of an answer, and nothing else.
final class StallingServer: Sendable {
    let configuration: EtcdConfiguration
    private let listener: CInt

    init(sending start: String) throws {
        let port = try EtcdServer.freePort()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, listen(listener, 8) == 0 else {
            close(listener)
            throw EtcdServer.Unavailable.port
        }
        self.listener = listener
        configuration = EtcdConfiguration(endpoints: ["http://127.0.0.1:\(port)"])
        Thread.detachNewThread {
            var connections: [CInt] = []
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                connections.append(connection)
                _ = send(connection, start, start.utf8.count, CInt(MSG_NOSIGNAL))
            }
            for connection in connections { close(connection) }
            close(listener)
        }
    }

    /// Ends the thread, which closes the connections.
    func end() { shutdown(listener, CInt(SHUT_RDWR)) }
}
