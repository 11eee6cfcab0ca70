// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

/// Cached searches while the clock that limits the checks of the store's files stands still.
@Suite struct StandingClockTests {
    private static let caller = Caller(applicationIdentifier: "canary.app", accessGroups: ["canary.app"])
    private static let filter = ItemFilter.generic([.account: "canary account", .service: "canary service"])

    private func open(_ directory: String) throws -> EmbeddedKeychain {
        try EmbeddedKeychain(at: StoreLocation(directory: directory))
    }

    private func add(_ secret: String, to keychain: EmbeddedKeychain) throws {
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: Self.filter.attributes,
            secret: SecretBuffer(secret.utf8)
        )
        _ = try keychain.perform(.add(item), for: Self.caller)
    }

    private func secret(in keychain: EmbeddedKeychain) throws -> SecretBuffer? {
        let request = Request.copy(CopyRequest(filter: Self.filter, returning: .data))
        guard case .items(let items) = try keychain.perform(request, for: Self.caller) else { return nil }
        return items.first?.secret
    }

    /// Opens a store with an item, stops the clock, and fills the cache.
    private func prepared(_ directory: String) throws -> EmbeddedKeychain {
        let keychain = try open(directory)
        try add("canary old", to: keychain)
        try keychain.read { session throws(StatusError) in session.clock = { 0 } }
        for _ in 0..<4 { #expect(try secret(in: keychain) == SecretBuffer("canary old".utf8)) }
        return keychain
    }

    @Test func `a change by another connection is seen at once`() throws {
        try withTemporaryDirectory { path in
            let keychain = try prepared(path)
            let update = UpdateRequest(filter: Self.filter, secret: SecretBuffer("canary new".utf8))
            let other = try open(path)
            _ = try other.perform(.update(update), for: Self.caller)
            for reader in [keychain, other] {
                #expect(try secret(in: reader) == SecretBuffer("canary new".utf8))
            }
        }
    }

    @Test func `a replaced store is detected after a limited number of reads`() throws {
        try withTemporaryDirectory { path in
            let (used, moved) = (path + "/used", path + "/moved")
            let keychain = try prepared(used)
            try #require(rename(used, moved) == 0)
            try add("canary new", to: open(used))
            var readCount = 0
            expect(.notAvailable) {
                while readCount < ReadSession.readsPerCheck {
                    readCount += 1
                    let found = try secret(in: keychain)
                    #expect(found == SecretBuffer("canary old".utf8))
                }
            }
            #expect(readCount > 1, "the clock does not stand still")
        }
    }
}
