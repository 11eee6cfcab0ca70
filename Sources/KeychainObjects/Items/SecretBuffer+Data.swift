// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

extension SecretBuffer {
    /// Copies bytes; the caller must erase the source.
    package init(copying data: Data) { self = unsafe data.withUnsafeBytes { unsafe Self(copying: $0) } }

    /// Copies bytes and erases the source in place if its storage is not shared.
    package init(moving data: inout Data) {
        self.init(copying: data)
        data.erase()
        data = Data()
    }

    /// The same bytes as `Data`, shared with this buffer.
    ///
    /// The bytes are erased when both objects are released. Foundation stores up to 14 bytes inside `Data`; this
    /// copy is not erased.
    package var data: Data {
        guard !isEmpty else { return Data() }
        return unsafe Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
            count: count,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} }
        )
    }
}
