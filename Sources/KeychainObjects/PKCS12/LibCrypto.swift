// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CKeychainLibCrypto
import FoundationEssentials
import KeychainModel

/// Helpers for calling OpenSSL.
enum LibCrypto {
    /// A private library context, unaffected by configuration files and other libraries.
    ///
    /// Old files are encrypted with RC2, which needs OpenSSL's legacy provider. Where it is not installed,
    /// only those files are rejected.
    @safe nonisolated(unsafe) static let context: OpaquePointer? = {
        guard let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        for provider in ["default", "legacy"] { _ = unsafe OSSL_PROVIDER_load(context, provider) }
        return unsafe context
    }()

    /// Runs `body` and clears the errors that OpenSSL leaves in the thread's queue.
    static func clearingErrors<Result>(_ body: () throws(StatusError) -> Result) throws(StatusError) -> Result
    {
        defer { ERR_clear_error() }
        return try body()
    }

    /// Returns the elements of a stack, which the stack still owns.
    static func members(of stack: OpaquePointer?) -> [OpaquePointer] {
        unsafe (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
            unsafe OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
        }
    }

    /// Returns the output of an `i2d` function, which writes directly into the result's memory.
    static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(StatusError) -> SharedBytes {
        let count = encode(nil)
        guard count > 0 else { throw StatusError(.undecodable, .malformedArchive) }
        return try unsafe SharedBytes(count: Int(count)) { memory throws(StatusError) in
            var position = unsafe memory.bindMemory(to: UInt8.self).baseAddress
            guard unsafe encode(&position) == count else {
                throw StatusError(.undecodable, .malformedArchive)
            }
        }
    }

    /// Parses an object with a `d2i` function of OpenSSL; `nil` for malformed bytes or trailing data.
    static func decoded(
        _ bytes: UnsafeRawBufferPointer,
        by decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?,
        free: (OpaquePointer?) -> Void
    ) -> OpaquePointer? {
        let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
        var position = unsafe start
        let object = unsafe decode(&position, bytes.count)
        guard let start = unsafe start, unsafe position == start + bytes.count else {
            unsafe free(object)
            return nil
        }
        return unsafe object
    }

    /// Parses PKCS #8 DER into an object that the caller frees.
    static func privateKeyInfo(_ pkcs8: SharedBytes) throws(StatusError) -> OpaquePointer {
        let info = unsafe pkcs8.withUnsafeBytes { bytes in
            unsafe decoded(bytes) {
                unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, $0, $1)
            } free: {
                unsafe PKCS8_PRIV_KEY_INFO_free($0)
            }
        }
        guard let info = unsafe info else { throw StatusError(.undecodable, .malformedArchive) }
        return unsafe info
    }

    /// Copies the bytes of an ASN.1 string; `nil` for a null pointer.
    static func data(_ string: UnsafePointer<ASN1_STRING>?) -> Data? {
        guard let string = unsafe string, let bytes = unsafe ASN1_STRING_get0_data(string) else { return nil }
        return unsafe Data(bytes: bytes, count: Int(max(0, ASN1_STRING_length(string))))
    }
}
#endif
