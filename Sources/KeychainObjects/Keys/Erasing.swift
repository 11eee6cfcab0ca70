// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension Data {
    /// Overwrites the bytes with zeros.
    ///
    /// Copies that share the storage are not affected.
    package mutating func erase() { resetBytes(in: startIndex..<endIndex) }
}

extension [UInt8] {
    /// Passes a copy of the bytes to a parser that needs an array, then erases the copy.
    ///
    /// The result of `body` must not retain the array.
    static func withErasedCopy<Result>(
        of data: Data,
        _ body: (ArraySlice<UInt8>) throws(AsymmetricKeyError) -> Result
    ) throws(AsymmetricKeyError) -> Result {
        var bytes = [UInt8](data)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return try body(bytes[...])
    }
}
