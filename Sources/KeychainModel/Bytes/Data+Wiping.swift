// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc

extension Data {
    /// Moves secret bytes into storage that is overwritten when the last who holds it lets go.
    ///
    /// What they are moved from is overwritten now, where nobody else has it. Foundation keeps up to 14 bytes in the value
    /// itself: of those every copy is one of the bytes, and none is overwritten.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, empty afterwards.
    ///   - count: How many of them are kept: the first, and no more than there are.
    package init(moving bytes: inout Data, count: Int) {
        let count = Swift.min(count, bytes.count)
        guard count > 0 else {
            bytes.wipe()
            self.init()
            return
        }
        let start = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
        // Not `copyBytes(to:count:)`, which copies region by region: that takes fifty times as long.
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        bytes.wipe()
        bytes = Data()
        unsafe self.init(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { start, count in
                unsafe explicit_bzero(start, count)
                unsafe start.deallocate()
            }
        )
    }

    /// Moves all of them.
    package init(moving bytes: inout Data) { self.init(moving: &bytes, count: bytes.count) }

    /// Overwrites the bytes in place.
    ///
    /// The value must be the only owner of its storage.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe explicit_bzero(start, buffer.count)
        }
    }
}
