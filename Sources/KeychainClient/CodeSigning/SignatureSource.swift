// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainStore

/// Reads and writes signatures: in an extended attribute, or in a file beside the executable.
package enum SignatureSource {
    package static let attribute = "user.keychain.signature"
    package static let suffix = ".signature"

    /// The signature of this process's executable, read at the first use; `nil` if it has none.
    ///
    /// The attribute is read through `/proc/self/exe`, which works even after the executable was deleted.
    package static let ofThisProcess: [UInt8]? =
        read("/proc/self/exe", beside: Entitlements.executablePath())

    /// Reads the signature of an executable; `nil` if it has none that can be read.
    package static func read(_ executable: String) -> [UInt8]? { read(executable, beside: executable) }

    private static func read(_ executable: String, beside path: String) -> [UInt8]? {
        attribute(of: executable) ?? file(path + suffix)
    }

    // Read one byte more than allowed, so that a longer signature is refused instead of truncated.
    private static let limit = CodeSignature.maximumByteCount + 1

    private static func attribute(of executable: String) -> [UInt8]? {
        var isTooLong = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            let count = unsafe getxattr(executable, attribute, buffer.baseAddress, limit)
            isTooLong = count < 0 && errno == ERANGE
            filled = max(0, count)
        }
        // `getxattr` returns no bytes of an attribute above the limit; any bytes of this size are refused.
        if isTooLong { return [UInt8](repeating: 0, count: limit) }
        return bytes.isEmpty ? nil : bytes
    }

    /// Writes the extended attribute; returns 0 or the `errno`.
    package static func writeAttribute(_ signature: [UInt8], to executable: String) -> CInt {
        unsafe setxattr(executable, attribute, signature, signature.count, 0) == 0 ? 0 : errno
    }

    /// Removes the extended attribute, if it exists.
    package static func removeAttribute(of executable: String) {
        unsafe _ = removexattr(executable, attribute)
    }

    private static func file(_ path: String) -> [UInt8]? {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let file = FileDescriptor(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
        guard file.number >= 0, (try? ExecutableStatus(of: file.number)) != nil else { return nil }
        return BoundedFile.read(file.number, atMost: limit)
    }
}

package enum BoundedFile {
    /// Returns at most the first `limit` bytes of a file; `nil` if reading fails.
    package static func read(_ file: CInt, atMost limit: Int) -> [UInt8]? {
        var (bytes, isRead) = ([] as [UInt8], true)
        unsafe bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            while filled < limit, let start = buffer.baseAddress {
                let count = unsafe pread(file, start + filled, limit - filled, off_t(filled))
                if count < 0, errno == EINTR { continue }
                if count < 0 { isRead = false }
                if count <= 0 { break }
                filled += count
            }
        }
        return isRead ? bytes : nil
    }
}
