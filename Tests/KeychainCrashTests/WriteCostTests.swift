// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// How many 4 KiB pages a write appends to the write-ahead log, and how often it syncs a file.
@Suite struct WriteCostTests {
    private static let caller = Caller(applicationIdentifier: "canary.app", accessGroups: ["canary.app"])

    private static func filter(_ number: Int) -> ItemFilter {
        var attributes = Attributes()
        attributes[.account] = .string("canary account \(number)")
        attributes[.service] = .string("canary service \(number % 50)")
        return ItemFilter(itemClass: .genericPassword, attributes: attributes)
    }

    private static func add(_ number: Int) -> Request {
        var attributes = filter(number).attributes
        attributes[.label] = .string("canary label \(number)")
        let secret = SecretBuffer("canary secret of 32 bytes length".utf8)
        return .add(NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret))
    }

    private static func update(_ number: Int) -> Request {
        let secret = SecretBuffer("canary secret of 32 bytes changed".utf8)
        return .update(UpdateRequest(filter: filter(number), secret: secret))
    }

    /// Kinds of writes, and the pages that half of them may exceed in a store of this many items.
    static let rows: [(name: String, items: Int, pages: Int)] =
        [("add", 10_000, 6), ("update", 10_000, 2)]
        + (Sampling.isThorough ? [("add", 100_000, 7), ("update", 100_000, 2)] : [])

    @Test(arguments: rows)
    func `a write changes few pages and waits for the disk once`(
        name: String,
        items: Int,
        most: Int
    ) throws {
        let scratch = try ScratchDirectory()
        try EmbeddedKeychain(at: StoreLocation(directory: scratch.path))
            .perform(together: (0..<items).map(Self.add), for: Self.caller) { _ in true }
        let recorder = Recorder()
        var location = StoreLocation(
            directory: scratch.path,
            createsIfMissing: false,
            fileSystem: recorder.name
        )
        location.checkpointThreshold = .max
        let keychain = try EmbeddedKeychain(at: location)
        func frames() throws -> Int {
            try keychain.write { session throws(StatusError) in session.rows.connection.logFrames }
        }
        // The first write starts the log.
        _ = try keychain.perform(Self.update(0), for: Self.caller)
        let (logSyncs, databaseSyncs) = (recorder.logSyncs, recorder.databaseSyncs)
        let pages = try (1...Self.writes).map { number in
            let before = try frames()
            let request = name == "add" ? Self.add(items + number) : Self.update(number * 71)
            _ = try keychain.perform(request, for: Self.caller)
            return try frames() - before
        }
        // A write that splits pages of an index changes more.
        #expect(pages.sorted()[pages.count / 2] <= most, "\(pages)")
        #expect(recorder.logSyncs - logSyncs == Self.writes)
        #expect(recorder.databaseSyncs == databaseSyncs)
    }

    private static let writes = 101
}
