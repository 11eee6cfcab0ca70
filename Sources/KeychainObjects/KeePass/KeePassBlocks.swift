// SPDX-License-Identifier: Apache-2.0

#if KeePass
import Crypto
import FoundationEssentials

/// Verifies the header and the encrypted blocks of a KeePass database with HMAC-SHA-256.
struct KeePassBlocks {
    private let base: [UInt8]

    init(seed: [UInt8], derived: [UInt8]) {
        base = Array(SHA512.hash(data: seed + derived + [1]))
    }

    func authenticates(header: ArraySlice<UInt8>, _ code: ArraySlice<UInt8>) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: header, using: key(.max))
    }

    /// Reads the blocks up to the empty last block; returns their joined contents.
    func read(_ reader: inout LittleEndianReader) throws(KeePassError) -> [UInt8] {
        var bytes: [UInt8] = []
        var index: UInt64 = 0
        while true {
            let code = try reader.take(32)
            let block = try reader.counted()
            var authentication = HMAC<SHA256>(key: key(index))
            authentication.update(data: Self.bytes(index))
            authentication.update(data: Self.bytes(UInt32(block.count)))
            authentication.update(data: block)
            guard authentication.finalize() == Array(code) else { throw .damaged }
            guard !block.isEmpty else { return bytes }
            bytes += block
            index += 1
        }
    }

    private func key(_ index: UInt64) -> SymmetricKey {
        SymmetricKey(data: SHA512.hash(data: Self.bytes(index) + base))
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
#endif
