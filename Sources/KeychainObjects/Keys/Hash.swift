// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import FoundationEssentials
#endif

package enum Hash: String, CaseIterable, Sendable {
    case sha1 = "SHA-1"
    case sha224 = "SHA-224"
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"

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

    /// Returns the digest of a message; `nil` for SHA-224.
    ///
    /// Hash functions are called through their concrete types, because a call through an existential takes
    /// twice as long.
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
    /// A requirement of `Digest` that ECDSA signing does not read; the size is not known statically.
    static var byteCount: Int { 0 }

    let bytes: Data

    init(bytes: Data) { self.bytes = bytes }

    init(_ digest: some Digest) { bytes = unsafe digest.withUnsafeBytes { unsafe Data($0) } }

    /// A description without the bytes, which the descriptions of swift-crypto's digests contain.
    var description: String { "digest" }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe bytes.withUnsafeBytes(body)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension HashFunction {
    /// Creates a digest of the hash function's type from bytes; `nil` if they do not fit the type.
    ///
    /// CryptoExtras selects the hash for RSA by the type of the digest, and swift-crypto's digest types have no
    /// public initializer. A value of these types starts with the digest bytes. The function verifies this
    /// layout with the digest of an empty message, overwrites the bytes, and checks that the new digest reads
    /// back as these bytes.
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
