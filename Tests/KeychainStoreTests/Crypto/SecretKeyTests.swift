// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainStore

@Suite struct SecretKeyTests {
    @Test func `more keys than fit into a page have different addresses`() {
        let keys = (0..<300).map { _ in SecretKey.random() }
        let addresses = Set(keys.map { UInt(bitPattern: $0.pointer) })
        #expect(addresses.count == keys.count)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func `a key stays in memory until its last copy is released`() {
        var key: SecretKey? = .random()
        let copy = key
        let bytes = copy?.withBytes { Array($0) }
        key = nil
        #expect(copy?.withBytes { Array($0) } == bytes)
    }
}
