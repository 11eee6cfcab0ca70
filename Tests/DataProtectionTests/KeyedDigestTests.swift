// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import DataProtection

/// What is computed here is what the general interface of swift-crypto computes.
@Suite struct KeyedDigestTests {
    /// Up to a block of the hash, and messages around the ends of its blocks.
    static let sizes = [0, 1, 32, 63, 64].flatMap { key in
        [0, 1, 54, 55, 56, 63, 64, 65, 116, 1_000].map { (key: key, message: $0) }
    }

    @Test(arguments: sizes)
    func `a digest is HMAC-SHA256`(key: Int, message: Int) throws {
        var generator = SeededGenerator(seed: UInt64(key * 1_000 + message))
        let key = SymmetricKey(data: generator.bytes(key))
        let message = generator.bytes(message)

        let digest = KeyedDigest(key: key).digest(of: [UInt8](message))

        #expect(digest == Bytes32(Data(HMAC<SHA256>.authenticationCode(for: message, using: key))))
    }

    @Test func `one digest leaves nothing behind for the next`() throws {
        let digest = KeyedDigest(key: SymmetricKey(size: .bits256))
        let first = digest.digest(of: [1, 2, 3])
        #expect(digest.digest(of: [4]) != first)
        #expect(digest.digest(of: [1, 2, 3]) == first)
    }

    @Test(arguments: [0, 4, 35, 90])
    func `a key for a purpose is what HKDF-SHA256 expands to`(purpose: Int) throws {
        var generator = SeededGenerator(seed: UInt64(purpose))
        let key = SymmetricKey(data: generator.bytes(32))
        let purpose = generator.bytes(purpose)

        let derived = KeyedDigest(key: key).key(for: [UInt8](purpose))

        #expect(
            derived == HKDF<SHA256>.expand(pseudoRandomKey: key, info: purpose, outputByteCount: 32)
        )
    }
}
