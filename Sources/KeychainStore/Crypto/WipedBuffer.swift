// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium

/// A uniquely owned buffer that is erased on destruction.
@safe
struct WipedBuffer: ~Copyable {
    private let start: UnsafeMutableRawPointer
    let count: Int

    init(count: Int) {
        unsafe start = .allocate(byteCount: max(count, 1), alignment: 16)
        self.count = count
    }

    deinit { unsafe Self.release(start, count) }

    static func release(_ start: UnsafeMutableRawPointer, _ count: Int) {
        unsafe sodium_memzero(start, count)
        unsafe start.deallocate()
    }

    borrowing func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Transfers ownership to the caller, who must call ``release(_:_:)``.
    consuming func take() -> UnsafeMutableRawPointer {
        let start = unsafe start
        discard self
        return unsafe start
    }
}
