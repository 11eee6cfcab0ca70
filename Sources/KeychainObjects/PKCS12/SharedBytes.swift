// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import KeychainModel

/// Secret bytes that several hold, overwritten when the last lets go.
package final class SharedBytes: Sendable {
    private let bytes: SecretBytes

    /// Makes room and lets the body fill it.
    package init<Failure: Error>(
        count: Int,
        filling body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        bytes = unsafe SecretBytes(count: count) { memory in
            do throws(Failure) { unsafe try body(memory) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Copies the bytes.
    package convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(count: bytes.count) { memory in unsafe memory.copyBytes(from: bytes) }
    }

    package var count: Int { bytes.count }

    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try bytes.withBytes(body)
    }

    /// A copy that nobody overwrites, for calls that take nothing else.
    package var data: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
