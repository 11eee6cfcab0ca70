// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import KeychainModel

/// The parsed contents of a PKCS #12 file, without duplicates.
///
/// Keys and certificates are matched by digest, which is fast even for a thousand of them.
package struct ArchiveContents {
    package private(set) var certificates: [(entry: PKCS12Archive.Certificate, object: ParsedCertificate)] =
        []
    package private(set) var keys: [(entry: PKCS12Archive.PrivateKey, object: AsymmetricKey)] = []
    /// The indices of the certificates of each public key, by digest of the public key.
    ///
    /// The local key IDs in the file are not used for this, because they are not reliable.
    package let certificatesByKey: [Data: [Int]]

    /// Parses the certificates and keys of an archive, and drops duplicates.
    ///
    /// - Throws: `StatusError` for malformed certificates; `AsymmetricKeyError` for malformed or
    ///   unsupported keys.
    package init(_ archive: PKCS12Archive) throws {
        var seen: Set<ParsedCertificate> = []
        for entry in archive.certificates {
            guard let object = try? ParsedCertificate(parsing: entry.der) else {
                throw StatusError(.undecodable, .malformedCertificate)
            }
            if seen.insert(object).inserted { certificates.append((entry, object)) }
        }
        certificatesByKey = Dictionary(grouping: certificates.indices) { [certificates] in
            certificates[$0].object.publicKeyDigest
        }
        var labels: Set<Data> = []
        for entry in archive.keys {
            var pkcs8 = entry.pkcs8.data
            defer { pkcs8.erase() }
            let object = try AsymmetricKey(pkcs8: pkcs8)
            if labels.insert(object.applicationLabel).inserted { keys.append((entry, object)) }
        }
    }

    /// Returns the indices in `certificates` of the certificates with this key's public key.
    package func certificates(of key: AsymmetricKey) -> [Int] {
        certificatesByKey[key.applicationLabel] ?? []
    }
}
