// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct CanaryTests {
    @Test func `the search for plaintext finds a planted secret, and none in the store`() throws {
        let directory = try #require(SearchedKeychain.directory)
        let stored = StoredPassword()
        #expect(stored.add([kSecAttrLabel as String: Canary.make("label")]) == errSecSuccess)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: directory.path).contains("keychain.db"))
        #expect(try Canary.files(in: directory).isEmpty)
        let leak = directory.appending(component: "leak")
        try Data("x\(stored.account)x".utf8).write(to: leak)
        defer { try? FileManager.default.removeItem(at: leak) }
        #expect(try Canary.files(in: directory) == ["leak"])
    }
}
