// SPDX-License-Identifier: Apache-2.0

import KeychainStore

// The strings in signatures and key files: a length of two bytes, then UTF-8.

extension ByteWriter {
    /// Appends a string of at most 65,535 bytes.
    mutating func append(sized text: String) {
        append(UInt16(truncatingIfNeeded: text.utf8.count))
        append(text)
    }
}

extension ByteReader {
    /// Reads a string; `nil` if it is malformed, or longer than 128 bytes.
    ///
    /// 128 bytes is the limit of all names and access groups.
    mutating func sizedString() -> String? {
        guard let count: UInt16 = number(), count <= SignedEntitlements.maximumByteCount,
            let bytes = bytes(Int(count))
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
