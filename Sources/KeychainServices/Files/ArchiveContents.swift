// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// What is in a PKCS #12 file, as objects; what is there twice is taken once.
///
/// A file can have a thousand keys and certificates, so what fits what is looked up and not searched for.
struct ArchiveContents {
    private(set) var certificates: [(entry: PKCS12Archive.Certificate, object: SecCertificate)] = []
    private(set) var keys: [(entry: PKCS12Archive.PrivateKey, object: SecKey)] = []
    /// Which certificates belong to a key, by the digest of its public half.
    ///
    /// What the file says about it is a hint at best: the keys decide.
    let certificatesByKey: [Data: [Int]]

    /// - Throws: `StatusError` for malformed certificates; `AsymmetricKeyError` for unsupported keys.
    init(_ archive: PKCS12Archive) throws {
        var seen: Set<SecCertificate> = []
        for entry in archive.certificates {
            guard let object = SecCertificateCreateWithData(nil, NSData(data: entry.der)) else {
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
            let object = SecKey(try AsymmetricKey(pkcs8: pkcs8))
            if labels.insert(object.key.applicationLabel).inserted { keys.append((entry, object)) }
        }
    }

    /// The certificates that belong to a key.
    func certificates(of key: SecKey) -> [Int] { certificatesByKey[key.key.applicationLabel] ?? [] }
}

extension SharedBytes {
    /// A passphrase as Apple's calls take it: a string, or UTF-8 as data; `nil` for an object of another kind.
    convenience init?(passphrase: Any) {
        switch passphrase {
        case let text as String: self.init(text.utf8)
        case let data as Data: self.init(data)
        default: return nil
        }
    }

    /// What opens a file that was made without any.
    static var empty: SharedBytes { SharedBytes([]) }
}
