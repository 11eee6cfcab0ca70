// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import KeychainModel

/// Reference-counted secret bytes, erased on deallocation.
package final class SharedBytes: Sendable {
    private let bytes: SecretBytes

    /// Allocates memory and lets `body` fill it.
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

    package convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(count: bytes.count) { memory in unsafe memory.copyBytes(from: bytes) }
    }

    package var count: Int { bytes.count }

    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try bytes.withBytes(body)
    }

    /// A copy that is not erased, for functions that take only `Data`.
    package var data: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
