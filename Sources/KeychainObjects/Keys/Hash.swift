// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import FoundationEssentials
#endif

/// The hash functions that algorithms use.
package enum Hash: String, CaseIterable, Sendable {
    case sha1 = "SHA-1"
    case sha224 = "SHA-224"
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"

    /// The size of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

#if Objects
extension Hash {
    /// The hash function; `nil` for SHA-224, for which callers supply the digest.
    var function: (any HashFunction.Type)? {
        switch self {
        case .sha1: Insecure.SHA1.self
        case .sha224: nil
        case .sha256: SHA256.self
        case .sha384: SHA384.self
        case .sha512: SHA512.self
        }
    }

    /// The digest of a message; `nil` for SHA-224.
    ///
    /// Each function is called through its concrete type: opening an existential costs as much as the hash.
    func digest(of message: Data) -> CurveDigest? {
        switch self {
        case .sha1: CurveDigest(Insecure.SHA1.hash(data: message))
        case .sha224: nil
        case .sha256: CurveDigest(SHA256.hash(data: message))
        case .sha384: CurveDigest(SHA384.hash(data: message))
        case .sha512: CurveDigest(SHA512.hash(data: message))
        }
    }
}

/// A digest of any length, for ECDSA, which truncates it to the field size.
struct CurveDigest: Digest {
    /// Not known statically; ECDSA signing does not read it.
    static var byteCount: Int { 0 }

    let bytes: Data

    init(bytes: Data) { self.bytes = bytes }

    init(_ digest: some Digest) { bytes = unsafe digest.withUnsafeBytes { unsafe Data($0) } }

    /// Hides the bytes, which swift-crypto's own digests print.
    var description: String { "digest" }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBytes(body)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension HashFunction {
    /// Creates the function's digest type from bytes the caller computed; `nil` if they do not fit.
    ///
    /// CryptoExtras selects the RSA hash by the type of the digest, and these types have no public
    /// initializer. Their memory starts with the digest bytes. That layout is verified first, on the digest
    /// of an empty message, so that no reference or other field is overwritten, and the result must read back
    /// as the bytes written.
    static func digest(holding bytes: Data) -> Digest? {
        var digest = hash(data: Data())
        let count = Digest.byteCount
        guard bytes.count == count, MemoryLayout<Digest>.size >= count else { return nil }
        let beginsWithItsBytes = unsafe Swift.withUnsafeBytes(of: digest) { memory in
            unsafe digest.withUnsafeBytes { unsafe memory.prefix(count).elementsEqual($0) }
        }
        guard beginsWithItsBytes else { return nil }
        unsafe Swift.withUnsafeMutableBytes(of: &digest) { unsafe $0.copyBytes(from: bytes) }
        return unsafe digest.withUnsafeBytes { unsafe $0.elementsEqual(bytes) } ? digest : nil
    }
}
#endif
