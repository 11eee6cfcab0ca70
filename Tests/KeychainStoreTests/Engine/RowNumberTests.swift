// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

/// Row numbers of new items, which a session caches as long as only it writes.
@Suite struct RowNumberTests {
    private static let caller = Caller(applicationIdentifier: "canary.app", accessGroups: ["canary.app"])

    private static func attributes(_ account: Int) -> Attributes {
        [.account: .string("canary account \(account)"), .service: .string("canary")]
    }

    private static func filter(_ account: Int) -> ItemFilter {
        ItemFilter(itemClass: .genericPassword, attributes: attributes(account))
    }

    private static func add(_ account: Int) -> Request {
        .add(
            NewItem(
                itemClass: .genericPassword,
                attributes: attributes(account),
                secret: SecretBuffer("canary secret".utf8)
            )
        )
    }

    @Test func `two sessions that add, update and delete in turn use free numbers`() throws {
        try withTemporaryDirectory { path in
            let first = try EmbeddedKeychain(at: StoreLocation(directory: path))
            let second = try EmbeddedKeychain(at: StoreLocation(directory: path))
            var account = 0
            for round in 0..<6 {
                for keychain in [first, second] {
                    for _ in 0...round % 3 {
                        account += 1
                        _ = try keychain.perform(Self.add(account), for: Self.caller)
                    }
                    let update = UpdateRequest(
                        filter: Self.filter(account),
                        attributes: [.label: .string("canary")]
                    )
                    _ = try keychain.perform(.update(update), for: Self.caller)
                }
                // Deletes the last row and adds one in the first session, so that the row number that the second
                // session has cached is out of date.
                let delete = DeleteRequest(filter: Self.filter(account))
                _ = try first.perform(.delete(delete), for: Self.caller)
                _ = try first.perform(Self.add(account), for: Self.caller)
            }
            #expect(try second.itemCount(in: ["canary.app"]) == account)
        }
    }

    @Test func `a number is free again after an aborted transaction`() throws {
        try withTemporaryDirectory { path in
            let keychain = try EmbeddedKeychain(at: StoreLocation(directory: path))
            _ = try keychain.perform(Self.add(1), for: Self.caller)
            #expect(throws: StatusError(.userCanceled, .changesCanceled)) {
                try keychain.perform(together: [2, 3].map(Self.add), for: Self.caller) { $0 < 2 }
            }
            #expect(throws: StatusError.self) { try keychain.perform(Self.add(1), for: Self.caller) }
            _ = try keychain.perform(Self.add(2), for: Self.caller)
            let numbers = try keychain.read { session throws(StatusError) in
                var numbers: [Int64] = []
                try session.rows.forEachRow(.all, secrets: false) { stored throws(StatusError) in
                    numbers.append(stored.number)
                    return true
                }
                return numbers
            }
            #expect(numbers.sorted() == [1, 2])
        }
    }
}
