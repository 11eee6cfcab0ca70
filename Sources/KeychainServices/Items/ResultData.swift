// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainObjects

/// The data of a result, in memory that is wiped when the last owner lets go of it.
///
/// A cast from `NSData` to `Data` copies byte by byte, some seven hundred instructions each, unless the object says
/// that its bytes are in one piece.
@safe
final class ResultData: NSData, ContiguousBytes {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    init(_ data: Data) {
        count = data.count
        // Never without an address, as an empty value's buffer would be.
        let start = UnsafeMutableRawPointer.allocate(byteCount: Swift.max(count, 1), alignment: 1)
        unsafe data.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            unsafe start.copyMemory(from: source, byteCount: bytes.count)
        }
        unsafe self.start = start
        super.init()
    }

    /// The result that some bytes are, which are erased where they were.
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

    /// An archive shall hold plain data, which is all that this is to anyone else.
    override var classForCoder: AnyClass { NSData.self }

    override var length: Int { count }

    override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(start) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
