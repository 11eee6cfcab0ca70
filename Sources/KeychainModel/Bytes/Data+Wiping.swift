// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc

extension Data {
    /// Moves secret bytes into storage that is erased when it is released.
    ///
    /// The source is erased immediately if its storage is not shared. Foundation stores up to 14 bytes
    /// inline: every copy of such a value contains the bytes, and none is erased.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, empty afterwards.
    ///   - count: How many bytes to keep from the start, at most as many as there are.
    package init(moving bytes: inout Data, count: Int) {
        let count = Swift.min(count, bytes.count)
        guard count > 0 else {
            bytes.wipe()
            self.init()
            return
        }
        let start = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
        // `copyBytes(to:count:)` copies region by region, which takes fifty times as long.
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

    /// Moves all bytes.
    package init(moving bytes: inout Data) { self.init(moving: &bytes, count: bytes.count) }

    /// Overwrites the bytes in place.
    ///
    /// The storage must not be shared.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe explicit_bzero(start, buffer.count)
        }
    }
}
