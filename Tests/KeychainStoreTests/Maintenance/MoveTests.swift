// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Renaming a store's directory after its items were copied elsewhere.
@Suite(.searchedKeychain) struct MoveTests {
    @Test func `a path that exists is refused with EEXIST, and nothing is renamed`() throws {
        let calls = try Calls()
        try calls.add([.account: .string("canary")])
        let directory = try #require(SearchedKeychain.directory)
        let path = directory.path + "/other"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let generation = try calls.status().generation
        #expect(throws: StatusError(.inputOutput, .systemCall, code: EEXIST)) {
            try calls.keychain.move(to: path, ifUnchangedSince: generation)
        }
        #expect(try calls.find(ItemFilter(itemClass: .genericPassword)).count == 1)
        try FileManager.default.removeItem(atPath: path)
    }
}
