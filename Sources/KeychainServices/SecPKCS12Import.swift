// SPDX-License-Identifier: Apache-2.0

import AsymmetricKeys
import Certificates
public import Foundation
import KeychainModel
import PKCS12

/// Reads the identities and certificates of a PKCS #12 file; nothing is put into the keychain.
///
/// - Parameters:
///   - pkcs12_data: The file, of at most 16 MiB.
///   - options: The passphrase under `kSecImportExportPassphrase`: a string, or UTF-8 as data.
///   - items: Receives an array of dictionaries: one for every private key with a certificate, and one for every
///     certificate that belongs to none and is in no chain.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// | Key of a dictionary        | Value                                                                            |
/// |----------------------------|----------------------------------------------------------------------------------|
/// | `kSecImportItemIdentity`   | the key and its certificate; absent for a certificate alone                      |
/// | `kSecImportItemCertChain`  | the certificate, and behind it those of the file that lead upward, ten in all    |
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
///
/// A file can have a thousand keys and certificates, so what fits what is looked up and not searched for. What is there
/// twice is taken once.
private struct ImportedItems {
    /// How many certificates a chain has at most: more than any that is in use.
    private static let longestChain = 10

    private let certificates: [(entry: PKCS12Archive.Certificate, object: SecCertificate)]
    private let keys: [(entry: PKCS12Archive.PrivateKey, object: SecKey)]
    /// The first certificate of each public key.
    ///
    /// What the file says about it is a hint at best: the keys decide.
    private let firstByKey: [Data: Int]
    private let bySubject: [NormalizedName: [Int]]

    init(_ archive: PKCS12Archive) throws(KeychainError) {
        var certificates: [(entry: PKCS12Archive.Certificate, object: SecCertificate)] = []
        var seenCertificates: Set<SecCertificate> = []
        for entry in archive.certificates {
            guard let object = SecCertificateCreateWithData(nil, entry.der as NSData) else {
                throw KeychainError(.undecodable, .malformedCertificate)
            }
            if seenCertificates.insert(object).inserted { certificates.append((entry, object)) }
        }
        var keys: [(entry: PKCS12Archive.PrivateKey, object: SecKey)] = []
        var seenKeys: Set<SecKey> = []
        for entry in archive.keys {
            let object = try Self.key(entry)
            if seenKeys.insert(object).inserted { keys.append((entry, object)) }
        }
        self.certificates = certificates
        self.keys = keys
        let contents = certificates.map(\.object.content).enumerated()
        firstByKey = Dictionary(contents.map { (PublicKeyHash.sha1(of: $1.publicKeyBits), $0) }) { first, _ in
            first
        }
        bySubject = Dictionary(grouping: certificates.indices) {
            certificates[$0].object.content.normalizedSubject
        }
    }

    private static func key(_ entry: PKCS12Archive.PrivateKey) throws(KeychainError) -> SecKey {
        guard let external = entry.external else { throw KeychainError(.unimplemented) }
        var bytes = external.bytes.data
        defer { bytes.erase() }
        let type: KeyType = external.kind == .rsa ? .rsa : .ellipticCurve
        guard let key = try? AsymmetricKey(type, .private, representation: bytes) else {
            throw KeychainError(.undecodable, .malformedArchive)
        }
        return SecKey(key)
    }

    var dictionaries: [NSDictionary] {
        var named: Set<Int> = []
        var dictionaries: [NSDictionary] = []
        for key in keys {
            guard let index = firstByKey[key.object.key.applicationLabel],
                let identity = SecIdentity(certificates[index].object, key.object)
            else { continue }
            let own = certificates[index].entry
            let chain = chain(from: index)
            named.formUnion(chain)
            let keyID = key.entry.localKeyID ?? own.localKeyID ?? key.object.key.applicationLabel
            dictionaries.append(dictionary(chain, label: key.entry.label ?? own.label, identity, keyID))
        }
        for index in certificates.indices where !named.contains(index) {
            let entry = certificates[index].entry
            dictionaries.append(dictionary([index], label: entry.label, nil, entry.localKeyID))
        }
        return dictionaries
    }

    private func chain(from leaf: Int) -> [Int] {
        var chain = [leaf]
        while let last = chain.last, chain.count < Self.longestChain,
            let issuers = bySubject[certificates[last].object.content.normalizedIssuer],
            let next = issuers.first(where: { !chain.contains($0) })
        {
            chain.append(next)
        }
        return chain
    }

    private func dictionary(
        _ chain: [Int],
        label: String?,
        _ identity: SecIdentity?,
        _ keyID: Data?
    ) -> NSDictionary {
        let others = certificates.indices.filter { !chain.contains($0) }
        let dictionary = NSMutableDictionary()
        dictionary[kSecImportItemCertChain] = chain.map { certificates[$0].object } as NSArray
        dictionary[kSecImportItemTrust] = SecTrust(
            certificates: (chain + others).map { certificates[$0].object },
            policies: [SecPolicyCreateBasicX509()]
        )
        if let identity { dictionary[kSecImportItemIdentity] = identity }
        if let label { dictionary[kSecImportItemLabel] = NSString(string: label) }
        if let keyID { dictionary[kSecImportItemKeyID] = NSData(data: keyID) }
        return dictionary
    }
}
