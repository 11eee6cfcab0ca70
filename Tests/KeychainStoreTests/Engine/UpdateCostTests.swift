// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainStore

@Suite(.searchedKeychain) struct UpdateCostTests {
    /// The bytes that this thread has read from files.
    private var bytesRead: Int {
        get throws {
            let counters = try String(contentsOf: URL(filePath: "/proc/thread-self/io"), encoding: .utf8)
            let line = counters.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
            return try #require(line.flatMap { Int($0.dropFirst(7)) })
        }
    }

    @Test func `a value that is replaced is read by SQLite once, to overwrite it`() throws {
        let calls = try Calls()
        let size = 1 << 20
        try calls.add([.service: "canary s", .account: "canary a"], Data(repeating: 0xCA, count: size))
        // With a small cache each pass over the value reads it from the file.
        try calls.keychain.state.withLock { store throws(StatusError) in
            _ = try store.items.connection.pragma("cache_size = -64")
        }
        let before = try bytesRead
        try calls.update(
            .generic([.service: "canary s", .account: "canary a"]),
            secret: Data(repeating: 0xCB, count: size)
        )
        #expect(try bytesRead - before < 2 * size)
        #expect(try calls.find(.generic()).first?.secret == Data(repeating: 0xCB, count: size))
    }
}
