// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CLibCrypto
import FoundationEssentials
import KeychainModel

/// What OpenSSL needs to be told once, and its conventions in terms of ours.
enum LibCrypto {
    /// A context of our own, which no configuration file and no other library of the process changes.
    ///
    /// Old files are encrypted with RC2, which only the provider of that name has. Where it is not installed such files
    /// are refused, and all others can be read.
    @safe nonisolated(unsafe) static let context: OpaquePointer? = {
        guard let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        for provider in ["default", "legacy"] { _ = unsafe OSSL_PROVIDER_load(context, provider) }
        return unsafe context
    }()

    /// Runs what may leave errors in the thread's queue and takes them out.
    static func cleanly<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        defer { ERR_clear_error() }
        return try body()
    }

    /// The members of a stack, which keeps them.
    static func members(of stack: OpaquePointer?) -> [OpaquePointer] {
        unsafe (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
            unsafe OPENSSL_sk_value(stack, index).map { OpaquePointer($0) }
        }
    }

    /// The bytes that a function of the family `i2d` writes, through memory that is overwritten.
    static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(KeychainError) -> SharedSecret {
        let count = encode(nil)
        guard count > 0 else { throw KeychainError(.undecodable, .malformedArchive) }
        return try unsafe SharedSecret(count: Int(count)) { memory throws(KeychainError) in
            var position = unsafe memory.bindMemory(to: UInt8.self).baseAddress
            guard unsafe encode(&position) == count else {
                throw KeychainError(.undecodable, .malformedArchive)
            }
        }
    }

    /// The bytes of a string of ASN.1.
    static func data(_ string: UnsafePointer<ASN1_STRING>?) -> Data? {
        guard let string = unsafe string, let bytes = unsafe ASN1_STRING_get0_data(string) else { return nil }
        return unsafe Data(bytes: bytes, count: Int(max(0, ASN1_STRING_length(string))))
    }
}
#endif
