// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc

/// Bytes that are overwritten when the last who holds them lets go.
@safe package final class SecretBytes: Sendable {
    // Written by the initializers and by deinit only.
    @safe private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    /// Makes room and lets the body fill it.
    package init<Failure: Error>(
        count: Int,
        filling body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe try body(memory)
    }

    /// Copies the bytes.
    package convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(count: bytes.count) { memory in unsafe memory.copyBytes(from: bytes) }
    }

    deinit {
        // Unlike memset it is not left out because nobody reads the memory again.
        if let start = memory.baseAddress { unsafe explicit_bzero(start, memory.count) }
        unsafe memory.deallocate()
    }

    package var count: Int { memory.count }

    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(memory))
    }

    /// A copy that nobody overwrites, for calls that take nothing else.
    package var data: Data { unsafe Data(memory) }
}
