// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Synchronization
import Testing

@testable import KeychainStore

/// How many times a call reads a large value from the database files.
@Suite struct ReadCostTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: Request
        let reads: Int
    }

    private static let size = 1 << 20
    private static let account = "canary account"

    private static func secret(_ byte: UInt8) -> SecretBuffer {
        SecretBuffer([UInt8](repeating: byte, count: size))
    }

    private static func label(_ text: String) -> Attributes {
        var attributes = Attributes()
        attributes[.label] = .string(text)
        return attributes
    }

    /// Calls, and how many times each reads the value.
    ///
    /// With a small cache, SQLite itself reads the old value four or five times to overwrite it.
    static let rows: [Row] = [
        Row(
            testDescription: "a value that is replaced is read to overwrite it",
            request: .update(
                UpdateRequest(filter: Operation.filter(account: account), secret: secret(0xCB))
            ),
            reads: 4
        ),
        Row(
            testDescription: "a value that stays is read to seal it again and to overwrite it",
            request: .update(
                UpdateRequest(
                    filter: Operation.filter(account: account),
                    attributes: label("canary-2")
                )
            ),
            reads: 6
        ),
        Row(
            testDescription: "a value that is found by identity is not read again by the index",
            request: .copy(
                CopyRequest(filter: Operation.filter(account: account), limit: .all, returning: [.data])
            ),
            reads: 1
        ),
    ]

    @Test(arguments: rows)
    func `a call reads a value no more often than necessary`(row: Row) throws {
        let scratch = try ScratchDirectory()
        let entry = Entry(label: "canary-1", secret: Self.secret(0xCA))
        _ = try RecordedRun.prepare([.add(Self.account, entry)], in: scratch.path)
        let recorder = Recorder()
        var location = StoreLocation(
            directory: scratch.path,
            createsIfMissing: false,
            fileSystem: recorder.name
        )
        // Prevents checkpoints, which would read the write-ahead log.
        location.checkpointThreshold = .max
        let keychain = try EmbeddedKeychain(at: location)
        // With a small cache, each pass over the value reads it from the file again.
        func shrinkCache(_ session: ReadSession) throws(StatusError) {
            // Enlarge the cache first, because the store would otherwise enlarge it later.
            try session.rows.enlargeCache()
            _ = try session.rows.connection.pragma("cache_size = -64")
        }
        try keychain.write { session throws(StatusError) in try shrinkCache(session.reader) }
        try keychain.read(shrinkCache)
        let before = recorder.bytesRead
        _ = try keychain.perform(row.request, for: Operation.caller)
        #expect((recorder.bytesRead - before) / Self.size == row.reads)
    }

    @Test func `a read after a change by the same thread reads nothing from the files`() throws {
        let scratch = try ScratchDirectory()
        let entry = Entry(label: "canary-1", secret: SecretBuffer("canary".utf8))
        _ = try RecordedRun.prepare([.add(Self.account, entry)], in: scratch.path)
        let recorder = Recorder()
        let keychain = try EmbeddedKeychain(
            at: StoreLocation(directory: scratch.path, createsIfMissing: false, fileSystem: recorder.name)
        )
        let change = UpdateRequest(
            filter: Operation.filter(account: Self.account),
            secret: SecretBuffer("canary-2".utf8)
        )
        _ = try keychain.perform(.update(change), for: Operation.caller)
        let before = recorder.bytesRead
        let search = CopyRequest(
            filter: Operation.filter(account: Self.account),
            limit: .all,
            returning: [.data]
        )
        let response = try keychain.perform(.copy(search), for: Operation.caller)
        guard case .items(let items) = response else { preconditionFailure("a search returns items") }
        #expect(items.map(\.secret) == [SecretBuffer("canary-2".utf8)])
        #expect(recorder.bytesRead == before)
    }
}
