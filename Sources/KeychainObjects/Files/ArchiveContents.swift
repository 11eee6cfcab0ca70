// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import KeychainModel

/// What is in a PKCS #12 file, as objects; what is there twice is taken once.
///
/// A file can have a thousand keys and certificates, so what fits what is looked up and not searched for.
package struct ArchiveContents {
    package private(set) var certificates: [(entry: PKCS12Archive.Certificate, object: ParsedCertificate)] =
        []
    package private(set) var keys: [(entry: PKCS12Archive.PrivateKey, object: AsymmetricKey)] = []
    /// Which certificates belong to a key, by the digest of its public half.
    ///
    /// What the file says about it is a hint at best: the keys decide.
    package let certificatesByKey: [Data: [Int]]

    /// - Throws: `StatusError` for malformed certificates; `AsymmetricKeyError` for unsupported keys.
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

    /// The certificates that belong to a key.
    package func certificates(of key: AsymmetricKey) -> [Int] {
        certificatesByKey[key.applicationLabel] ?? []
    }
}
