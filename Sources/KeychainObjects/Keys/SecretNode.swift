// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// An ASN.1 structure containing a secret, serialized without intermediate copies.
///
/// A serializer's buffer is reallocated as it grows, and each outgrown buffer would still contain the secret.
indirect enum SecretNode {
    /// A constructed element with its tag.
    case group(UInt8, [SecretNode])
    case octets(Data)
    /// Encoded bytes that are not secret.
    case encoded(Data)

    /// The DER encoding, which the caller must erase.
    var encoding: Data {
        // Reserve an upper bound, so that appending never reallocates.
        var result = Data(capacity: byteCount)
        append(to: &result)
        return result
    }

    private var byteCount: Int {
        switch self {
        case .group, .octets: 1 + Self.length(contentCount).count + contentCount
        case .encoded(let bytes): bytes.count
        }
    }

    private var contentCount: Int {
        switch self {
        case .group(_, let nodes): nodes.reduce(0) { $0 + $1.byteCount }
        case .octets(let bytes), .encoded(let bytes): bytes.count
        }
    }

    private func append(to result: inout Data) {
        switch self {
        case .group(let tag, let nodes):
            result.append(tag)
            result.append(contentsOf: Self.length(contentCount))
            for node in nodes { node.append(to: &result) }
        case .octets(let bytes):
            result.append(0x04)
            result.append(contentsOf: Self.length(bytes.count))
            result.append(bytes)
        case .encoded(let bytes): result.append(bytes)
        }
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let digits = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
            .drop { $0 == 0 }
        return [0x80 | UInt8(digits.count)] + digits
    }
}
