// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import KeychainObjects

/// Parses a part of a KeePass database; the first byte selects the part.
///
/// Parsing a whole file would always end at the digest of its header, which the fuzzer cannot compute.
func fuzzKeePass(_ data: Data) {
    #if KeePass
    let bytes = Array(data.dropFirst())
    switch data.first {
    case 0:
        guard let header = try? KeePassHeader(bytes) else { return }
        precondition(header.count <= bytes.count && header.seed.count == 32)
    case 1:
        guard let database = try? KeePassDatabase(contents: bytes) else { return }
        precondition(database.entries.count + database.earlierVersions <= bytes.count)
    case 2: _ = try? KeePassKey.key(in: bytes)
    case 3:
        guard let contents = try? GzipData.decompress(bytes, limit: 1 << 20) else { return }
        precondition(contents.count <= 1 << 20)
    default: return
    }
    #endif
}
