// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainObjects

/// The data of a result, erased on deallocation.
///
/// A cast from `NSData` to `Data` copies byte by byte, at some seven hundred instructions each, unless the
/// object states that its bytes are contiguous.
@safe
final class ResultData: NSData, ContiguousBytes {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    init(_ data: Data) {
        count = data.count
        // Never a null pointer, which the buffer of an empty value would have.
        let start = UnsafeMutableRawPointer.allocate(byteCount: Swift.max(count, 1), alignment: 1)
        unsafe data.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            unsafe start.copyMemory(from: source, byteCount: bytes.count)
        }
        unsafe self.start = start
        super.init()
    }

    /// Moves the bytes into a result and erases the source.
    static func taking(_ data: consuming Data) -> NSData {
        var data = data
        defer { data.erase() }
        return ResultData(data)
    }

    required init?(coder: NSCoder) { nil }

    deinit {
        unsafe explicit_bzero(start, count)
        unsafe start.deallocate()
    }

    /// Archives as plain `NSData`: the subclass is an implementation detail.
    override var classForCoder: AnyClass { NSData.self }

    override var length: Int { count }

    override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(start) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
