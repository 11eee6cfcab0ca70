// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension Data {
    /// Overwrites bytes that were secret, as far as nobody else holds them.
    package mutating func erase() { resetBytes(in: startIndex..<endIndex) }
}

extension [UInt8] {
    /// Lends a copy of bytes to a parser, which wants an array, and overwrites it afterwards.
    ///
    /// What the body returns must not hold on to the array.
    static func lending<Result>(
        _ data: Data,
        to body: (ArraySlice<UInt8>) throws(AsymmetricKeyError) -> Result
    ) throws(AsymmetricKeyError) -> Result {
        var bytes = [UInt8](data)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return try body(bytes[...])
    }
}
