// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The number of 4 KiB pages that a write appends to the write-ahead log.
@Suite struct WriteCostTests {
    private static let caller = Caller(applicationIdentifier: "canary.app", accessGroups: ["canary.app"])

    private static func add(_ number: Int) -> Request {
        .add(
            NewItem(
                itemClass: .genericPassword,
                attributes: [
                    .account: .string("canary account \(number)"),
                    .service: .string("canary service \(number % 50)"),
                    .label: .string("canary label \(number)"),
                ],
                secret: SecretBuffer("canary secret of 32 bytes length".utf8)
            )
        )
    }

    private static func update(_ number: Int) -> Request {
        let filter = ItemFilter(
            itemClass: .genericPassword,
            attributes: [
                .account: .string("canary account \(number)"),
                .service: .string("canary service \(number % 50)"),
            ]
        )
        return .update(
            UpdateRequest(filter: filter, secret: SecretBuffer("canary secret of 32 bytes changed".utf8))
        )
    }

    @Test(arguments: [("add", 6), ("update", 2)])
    func `a write changes few pages`(name: String, most: Int) throws {
        try withTemporaryDirectory { path in
            var location = StoreLocation(directory: path)
            location.checkpointThreshold = .max
            let keychain = try EmbeddedKeychain(at: location)
            try keychain.perform(together: (0..<2_000).map(Self.add), for: Self.caller) { _ in true }
            func frames() throws -> Int {
                try keychain.write { session throws(StatusError) in session.rows.connection.logFrames }
            }
            let pages = try (0..<25).map { number in
                let before = try frames()
                let request = name == "add" ? Self.add(2_000 + number) : Self.update(number * 71)
                _ = try keychain.perform(request, for: Self.caller)
                return try frames() - before
            }
            // Only the lower quartile is checked: where pages of an index are almost full, many of the writes
            // split one.
            #expect(pages.sorted()[pages.count / 4] <= most, "\(pages)")
        }
    }
}
