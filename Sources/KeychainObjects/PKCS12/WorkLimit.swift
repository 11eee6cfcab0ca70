// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CKeychainLibCrypto
import KeychainModel

/// Limits the key derivation work that a file can require.
///
/// A file contains the numbers of derivation rounds for its authentication and for each encrypted part, and
/// OpenSSL performs all of them. The limit applies to their sum. That many rounds take 1.2 seconds on one
/// core, and are eight times what Windows accepts for one part.
struct WorkLimit {
    static let maximumRounds = 5_000_000

    private var remaining = maximumRounds

    /// Subtracts `count` times `rounds` from the remaining rounds; throws if fewer remain or `rounds` is not positive.
    mutating func take(_ rounds: Int, times count: Int = 1) throws(StatusError) {
        guard rounds > 0 else { throw StatusError(.undecodable, .malformedArchive) }
        guard rounds <= remaining / count else { throw StatusError(.undecodable, .tooMuchWork) }
        remaining -= rounds * count
    }

    /// Subtracts the rounds of a decryption; throws if fewer remain, or for an unsupported algorithm.
    mutating func take(_ method: UnsafePointer<X509_ALGOR>?) throws(StatusError) {
        guard let method = unsafe method, let parameters = unsafe method.pointee.parameter,
            unsafe parameters.pointee.type == V_ASN1_SEQUENCE,
            let sequence = unsafe parameters.pointee.value.sequence,
            let start = unsafe ASN1_STRING_get0_data(sequence)
        else { throw StatusError(.undecodable, .malformedArchive) }
        var bytes: UnsafePointer<UInt8>? = unsafe start
        let count = unsafe Int(ASN1_STRING_length(sequence))
        switch unsafe OBJ_obj2nid(method.pointee.algorithm) {
        case NID_pbes2:
            let second = unsafe d2i_PBE2PARAM(nil, &bytes, count)
            defer { unsafe PBE2PARAM_free(second) }
            try unsafe take(derivation: second?.pointee.keyfunc)
        case NID_pbe_WithSHA1And128BitRC4, NID_pbe_WithSHA1And40BitRC4,
            NID_pbe_WithSHA1And3_Key_TripleDES_CBC, NID_pbe_WithSHA1And2_Key_TripleDES_CBC,
            NID_pbe_WithSHA1And128BitRC2_CBC, NID_pbe_WithSHA1And40BitRC2_CBC:
            let first = unsafe d2i_PBEPARAM(nil, &bytes, count)
            defer { unsafe PBEPARAM_free(first) }
            // One derivation with SHA-1 yields 20 bytes. Three-key triple DES needs two derivations for the key and one
            // for the IV; each of the other ciphers needs at most one for the key and one for the IV.
            let isLong =
                unsafe OBJ_obj2nid(method.pointee.algorithm) == NID_pbe_WithSHA1And3_Key_TripleDES_CBC
            try unsafe take(first?.pointee.iter, times: isLong ? 3 : 2)
        default: throw StatusError(.undecodable, .malformedArchive)
        }
    }

    private mutating func take(derivation: UnsafePointer<X509_ALGOR>?) throws(StatusError) {
        guard let derivation = unsafe derivation, let parameters = unsafe derivation.pointee.parameter,
            unsafe OBJ_obj2nid(derivation.pointee.algorithm) == NID_id_pbkdf2,
            unsafe parameters.pointee.type == V_ASN1_SEQUENCE,
            let sequence = unsafe parameters.pointee.value.sequence,
            let start = unsafe ASN1_STRING_get0_data(sequence)
        else { throw StatusError(.undecodable, .malformedArchive) }
        var bytes: UnsafePointer<UInt8>? = unsafe start
        let read = unsafe d2i_PBKDF2PARAM(nil, &bytes, Int(ASN1_STRING_length(sequence)))
        defer { unsafe PBKDF2PARAM_free(read) }
        // These digests yield a key of up to 32 bytes in one derivation. The default, SHA-1, needs two.
        let wide = [NID_hmacWithSHA256, NID_hmacWithSHA384, NID_hmacWithSHA512, NID_hmacWithSHA512_256]
        let digest = unsafe read?.pointee.prf.map { unsafe OBJ_obj2nid($0.pointee.algorithm) }
        try unsafe take(read?.pointee.iter, times: digest.map(wide.contains) == true ? 1 : 2)
    }

    private mutating func take(
        _ rounds: UnsafePointer<ASN1_INTEGER>?,
        times count: Int
    ) throws(StatusError) {
        // ASN1_INTEGER_get returns −1 if the number does not fit.
        try unsafe take(rounds.map { unsafe Int(ASN1_INTEGER_get($0)) } ?? 0, times: count)
    }
}
#endif
