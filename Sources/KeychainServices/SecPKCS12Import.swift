// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import PKCS12

/// Reads the identities and certificates of a PKCS #12 file; nothing is put into the keychain.
///
/// - Parameters:
///   - pkcs12_data: The file, of at most 16 MiB.
///   - options: The passphrase under `kSecImportExportPassphrase`: a string, or UTF-8 as data.
///   - items: Receives an array of dictionaries: one for every private key, and one for every certificate that belongs
///     to none and leads upward from none.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// | Key of a dictionary        | Value                                                                            |
/// |----------------------------|----------------------------------------------------------------------------------|
/// | `kSecImportItemIdentity`   | the key and its certificate; absent for a certificate alone                      |
/// | `kSecImportItemCertChain`  | the certificate, and behind it those of the file that lead upward                |
/// | `kSecImportItemTrust`      | a question about the certificate by the basic policy                             |
/// | `kSecImportItemLabel`      | the name that the file gives                                                     |
/// | `kSecImportItemKeyID`      | what ties key and certificate together in the file, or the digest of the public key |
///
/// - `errSecAuthFailed`: the passphrase is wrong, or the file was changed.
/// - `errSecPassphraseRequired`: there is no passphrase, and the file needs one.
/// - `errSecDecode`: the bytes are no PKCS #12 file, or opening it would take more than 5 million rounds.
/// - `errSecParam`: the passphrase is neither string nor data, or is longer than 1,024 bytes.
/// - `errSecUnimplemented`: a key is neither RSA nor on the curve P-256, P-384 or P-521; or the package trait `PKCS12`
///   is not enabled.
///
/// Source: Apple, *SecPKCS12Import(_:_:_:)*. Differs: a file without authentication is read, if its passphrase is right
/// for what is encrypted.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let passphrase: SecretBytes?
    switch options[kSecImportExportPassphrase] {
    case nil: passphrase = nil
    case let text as String: passphrase = SecretBytes(text.utf8)
    case let data as Data: passphrase = SecretBytes(data)
    default: return errSecParam
    }
    do throws(KeychainError) {
        let archive = try PKCS12Archive(
            Data(referencing: pkcs12_data),
            passphrase: passphrase ?? SecretBytes([])
        )
        unsafe items.pointee = try ImportedItems(archive).dictionaries as NSArray
        return errSecSuccess
    } catch {
        let isMissing = passphrase == nil && error.status == .authenticationFailed
        return isMissing ? errSecPassphraseRequired : error.status.rawValue
    }
}

/// The contents of a file as objects.
private struct ImportedItems {
    private let certificates: [(entry: PKCS12Archive.Certificate, object: SecCertificate)]
    private let keys: [(entry: PKCS12Archive.PrivateKey, object: SecKey)]

    init(_ archive: PKCS12Archive) throws(KeychainError) {
        certificates = try archive.certificates.map { entry throws(KeychainError) in
            guard let object = SecCertificateCreateWithData(nil, entry.der as NSData) else {
                throw KeychainError(.undecodable, .malformedCertificate)
            }
            return (entry, object)
        }
        keys = try archive.keys.map { entry throws(KeychainError) in
            guard let external = entry.external else { throw KeychainError(.unimplemented) }
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: external.kind == .rsa ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            ]
            let bytes = external.bytes.data as NSData
            guard let object = SecKeyCreateWithData(bytes, attributes as NSDictionary, nil) else {
                throw KeychainError(.undecodable, .malformedArchive)
            }
            return (entry, object)
        }
    }

    var dictionaries: [NSDictionary] {
        var named: Set<SecCertificate> = []
        var dictionaries: [NSDictionary] = []
        for key in keys {
            guard let own = certificates.first(where: { belongs($0, to: key) }),
                let identity = SecIdentityCreate(nil, own.object, key.object)
            else { continue }
            let chain = chain(from: own.object)
            named.formUnion(chain)
            let keyID = key.entry.localKeyID ?? own.entry.localKeyID ?? digest(of: key.object)
            dictionaries.append(dictionary(chain, label: key.entry.label ?? own.entry.label, identity, keyID))
        }
        for other in certificates where !named.contains(other.object) {
            dictionaries.append(
                dictionary([other.object], label: other.entry.label, nil, other.entry.localKeyID)
            )
        }
        return dictionaries
    }

    private func belongs(
        _ certificate: (entry: PKCS12Archive.Certificate, object: SecCertificate),
        to key: (entry: PKCS12Archive.PrivateKey, object: SecKey)
    ) -> Bool {
        // What the file says about it is a hint at best: the keys decide.
        guard let one = SecCertificateCopyKey(certificate.object),
            let other = SecKeyCopyPublicKey(key.object),
            let bytes = SecKeyCopyExternalRepresentation(one, nil)
        else { return false }
        return bytes == SecKeyCopyExternalRepresentation(other, nil)
    }

    private func chain(from leaf: SecCertificate) -> [SecCertificate] {
        var chain = [leaf]
        while let last = chain.last, let issuer = SecCertificateCopyNormalizedIssuerSequence(last),
            let next = certificates.first(where: {
                SecCertificateCopyNormalizedSubjectSequence($0.object) == issuer && !chain.contains($0.object)
            })
        {
            chain.append(next.object)
        }
        return chain
    }

    private func digest(of key: SecKey) -> Data? {
        (SecKeyCopyAttributes(key) as NSDictionary?)?[kSecAttrApplicationLabel] as? Data
    }

    private func dictionary(
        _ chain: [SecCertificate],
        label: String?,
        _ identity: SecIdentity?,
        _ keyID: Data?
    ) -> NSDictionary {
        let others = certificates.map(\.object).filter { !chain.contains($0) }
        let dictionary = NSMutableDictionary()
        dictionary[kSecImportItemCertChain] = chain as NSArray
        dictionary[kSecImportItemTrust] = SecTrust(
            certificates: chain + others,
            policies: [SecPolicyCreateBasicX509()]
        )
        if let identity { dictionary[kSecImportItemIdentity] = identity }
        if let label { dictionary[kSecImportItemLabel] = NSString(string: label) }
        if let keyID { dictionary[kSecImportItemKeyID] = NSData(data: keyID) }
        return dictionary
    }
}
