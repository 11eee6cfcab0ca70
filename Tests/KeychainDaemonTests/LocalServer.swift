// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainClient
import KeychainDaemon
import KeychainModel
import KeychainTestSupport

/// A server in this process, with a store in a temporary directory.
struct LocalServer {
    let path: String
    let store: String

    /// Returns a new client with the access group of ``NumberedItems``.
    func client() -> DaemonKeychain {
        let runtime = URL(filePath: path).deletingLastPathComponent().deletingLastPathComponent().path
        return DaemonKeychain(
            at: .ofUser(runtimeDirectory: runtime),
            claim: Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])
        )
    }

    static func with(
        _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
        _ body: (LocalServer) throws -> Void
    ) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store").path
            let path = directory.appending(component: "keychain").path + "/socket"
            var configuration = ServerConfiguration(service: .user(store: store), workers: 4)
            try configure(&configuration)
            let listener = try ListeningSocket(at: path)
            let server = try Server(
                configuration,
                listener: listener.descriptor,
                signals: eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)),
                audit: AuditLog(directory: store + ".audit")
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
            try body(LocalServer(path: path, store: store))
        }
    }
}
