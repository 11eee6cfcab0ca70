// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Bytes locked in memory, excluded from core dumps, and erased on destruction.
///
/// If the system refuses to lock the memory, for instance because of a container's limit, the memory is used
/// unlocked.
@safe
package struct SecretBytes: ~Copyable, Sendable {
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer?
    package let count: Int

    package init(count: Int, filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
        self.count = count
        guard count > 0 else {
            unsafe start = nil
            return
        }
        let mapped = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            // Trap like any failed allocation in Swift.
            preconditionFailure("out of memory")
        }
        unsafe Self.pin(UnsafeRawBufferPointer(start: mapped, count: count))
        unsafe start = mapped
        unsafe fill(UnsafeMutableRawBufferPointer(start: mapped, count: count))
    }

    /// Copies bytes.
    ///
    /// The caller must erase the source.
    package init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }

    package init(copying other: borrowing SecretBytes) {
        unsafe self.init(count: other.count) { copy in
            unsafe other.withBytes { unsafe copy.copyMemory(from: $0) }
        }
    }

    /// Copies bytes and erases the source in place if its storage is not shared.
    package init(moving bytes: inout [UInt8]) {
        let source = bytes
        unsafe self.init(count: source.count) { unsafe $0.copyBytes(from: source) }
        _ = consume source
        unsafe bytes.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe explicit_bzero(start, buffer.count)
        }
        bytes = []
    }

    deinit {
        guard let start = unsafe start else { return }
        unsafe explicit_bzero(start, count)
        unsafe munmap(start, count)
    }

    package borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Compares bytes of equal count in constant time.
    package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        unsafe withBytes { own in
            unsafe other.withBytes { others in
                for index in own.indices { unsafe difference |= own[index] ^ others[index] }
            }
        }
        return difference == 0
    }

    /// Locks mapped memory into RAM and excludes it from core dumps until it is unmapped.
    package static func pin(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress, unsafe !bytes.isEmpty else { return }
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let address = UInt(bitPattern: first)
        let begin = address / page * page
        let end = (address + UInt(bytes.count) + page - 1) / page * page
        guard let start = unsafe UnsafeMutableRawPointer(bitPattern: begin) else { return }
        unsafe _ = mlock(start, Int(end - begin))
        unsafe _ = madvise(start, Int(end - begin), MADV_DONTDUMP)
    }
}
