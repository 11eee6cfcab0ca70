// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// The data in a result, erased on deallocation.
///
/// The class conforms to `ContiguousBytes`, because a cast to `Data` from a subclass of `NSData` without this
/// conformance copies byte by byte, with some 700 instructions for each byte.
@safe
final class ResultData: NSData, ContiguousBytes {
    private let buffer: SecretBuffer
    /// The start of the buffer, which is not null even for an empty buffer.
    private let start: UnsafeRawPointer

    init(_ buffer: SecretBuffer) {
        self.buffer = buffer
        unsafe start = buffer.start
        super.init()
    }

    convenience init(_ bytes: [UInt8]) { self.init(SecretBuffer(bytes)) }

    /// Moves data into an object that erases its bytes on deallocation, and erases the source.
    static func taking(_ data: consuming Data) -> NSData {
        var data = data
        return ResultData(SecretBuffer(moving: &data))
    }

    required init?(coder: NSCoder) { nil }

    /// The class recorded in archives: `NSData`, so that every program can decode them.
    override var classForCoder: AnyClass { NSData.self }

    override var length: Int { buffer.count }

    override var bytes: UnsafeRawPointer { unsafe start }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: buffer.count))
    }
}
