// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// Closing a store, and opening a store whose process has ended.
///
/// The tests measure the size of the write-ahead log, and replace the files of an open store.
@Suite struct CloseTests {
    private static let caller = Caller(applicationIdentifier: "canary.app", accessGroups: ["canary.app"])

    private static func add(_ numbers: Range<Int>, to keychain: EmbeddedKeychain) throws {
        for number in numbers {
            let item = NewItem(
                itemClass: .genericPassword,
                attributes: [.account: .string("canary account \(number)"), .service: .string("canary")],
                secret: SecretBuffer("canary secret of 32 bytes length".utf8)
            )
            _ = try keychain.perform(.add(item), for: caller)
        }
    }

    private static func frameCount(of keychain: EmbeddedKeychain) throws -> Int? {
        try keychain.read { session throws(StatusError) in
            try session.reload()
            return session.rows.logHeader?.frameCount
        }
    }

    @Test func `closing a store empties its log`() throws {
        try withTemporaryDirectory { path in
            var location = StoreLocation(directory: path)
            location.checkpointThreshold = 4_000
            do {
                let keychain = try EmbeddedKeychain(at: location)
                try Self.add(0..<300, to: keychain)
                #expect(try Self.frameCount(of: keychain) ?? 0 > 1_000)
            }
            let keychain = try EmbeddedKeychain(at: location)
            #expect(try Self.frameCount(of: keychain) == 0)
            #expect(try keychain.itemCount(in: ["canary.app"]) == 300)
        }
    }

    @Test func `opening a store empties the long log of an ended process`() throws {
        try withTemporaryDirectory { path in
            let (used, left) = (path + "/used", path + "/left")
            var location = StoreLocation(directory: used)
            location.checkpointThreshold = 4_000
            let keychain = try EmbeddedKeychain(at: location)
            try Self.add(0..<100, to: keychain)
            // Copies the files while the store is open, as if its process had ended without closing it.
            try FileManager.default.copyItem(atPath: used, toPath: left)
            for expected in [300..<1_000, 0..<1] {
                location = StoreLocation(directory: left)
                location.checkpointThreshold = expected.lowerBound == 0 ? 64 : 4_000
                let reopened = try EmbeddedKeychain(at: location)
                #expect(expected.contains(try Self.frameCount(of: reopened) ?? -1))
                #expect(try reopened.itemCount(in: ["canary.app"]) == 100)
            }
        }
    }

    @Test func `closing a store whose files were replaced leaves the new files unchanged`() throws {
        try withTemporaryDirectory { path in
            let (used, moved) = (path + "/used", path + "/moved")
            do {
                let keychain = try EmbeddedKeychain(at: StoreLocation(directory: used))
                try Self.add(0..<5, to: keychain)
                try #require(rename(used, moved) == 0)
                try Self.add(0..<1, to: EmbeddedKeychain(at: StoreLocation(directory: used)))
            }
            let keychain = try EmbeddedKeychain(at: StoreLocation(directory: used))
            #expect(try keychain.itemCount(in: ["canary.app"]) == 1)
            let other = try EmbeddedKeychain(at: StoreLocation(directory: moved))
            #expect(try other.itemCount(in: ["canary.app"]) == 5)
        }
    }
}
