// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects

/// Reads identities and certificates from a PKCS #12 file, without adding them to the keychain.
///
/// - Parameters:
///   - pkcs12_data: The file contents, at most 16 MiB.
///   - options: The passphrase under `kSecImportExportPassphrase`: a string, or UTF-8 as data.
///   - items: Receives an array of dictionaries: one for each private key that has a certificate, and one for
///     each certificate that is not in the chain of such a key.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// | Key of a dictionary        | Value                                                                            |
/// |----------------------------|----------------------------------------------------------------------------------|
/// | `kSecImportItemIdentity`   | the key and its certificate; absent for a certificate alone                      |
/// | `kSecImportItemCertChain`  | the certificate and its issuers in the file, leaf first, at most ten             |
/// | `kSecImportItemTrust`      | a trust object of the certificate and the basic policy, not evaluated yet        |
/// | `kSecImportItemLabel`      | the name of the key in the file, or else of the certificate; absent without one  |
/// | `kSecImportItemKeyID`      | the local key ID; for an identity without one, the digest of the public key      |
///
/// - `errSecAuthFailed`: the passphrase is wrong, or the file was changed.
/// - `errSecPassphraseRequired`: the file needs a passphrase, and none was given.
/// - `errSecDecode`: the data is not a PKCS #12 file, is malformed or too large, contains more than 1,024 keys and
///   certificates, or opening it would take more than 5 million rounds of key derivation.
/// - `errSecParam`: the passphrase is neither string nor data, or is longer than 1,024 bytes.
/// - `errSecUnimplemented`: a key is neither RSA nor Ed25519 nor on the curve P-256, P-384 or P-521; or the
///   package trait `Objects` or `PKCS12` is not enabled.
///
/// Source: Apple, *SecPKCS12Import(_:_:_:)*. Differs: a file without a MAC is accepted if the passphrase
/// decrypts its contents.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    let supplied = options.object(named: kSecImportExportPassphrase)
    let passphrase = supplied.flatMap { SharedBytes(passphrase: $0) }
    guard supplied == nil || passphrase != nil else { return errSecParam }
    do {
        try ObjectsTrait.check()
        let archive = try PKCS12Archive(
            Data(referencing: pkcs12_data),
            passphrase: passphrase ?? SharedBytes([])
        )
        unsafe items.pointee = ImportedItems(try ArchiveContents(archive)).dictionaries as NSArray
        return errSecSuccess
    } catch let error as AsymmetricKeyError {
        return error == .unsupportedKey ? errSecUnimplemented : errSecDecode
    } catch {
        let status = KeyCallError(error).status
        return passphrase == nil && status == errSecAuthFailed ? errSecPassphraseRequired : status
    }
}

/// Converts the contents of a PKCS #12 file to the dictionaries that SecPKCS12Import returns.
private struct ImportedItems {
    /// The maximum number of certificates in a chain, more than any chain in use has.
    private static let maximumChainLength = 10

    private let contents: ArchiveContents
    private let bySubject: [NormalizedName: [Int]]

    private var certificates: [(entry: PKCS12Archive.Certificate, object: ParsedCertificate)] {
        contents.certificates
    }

    init(_ contents: ArchiveContents) {
        self.contents = contents
        bySubject = Dictionary(grouping: contents.certificates.indices) {
            contents.certificates[$0].object.normalizedSubject
        }
    }

    var dictionaries: [NSDictionary] {
        var named: Set<Int> = []
        var dictionaries: [NSDictionary] = []
        for key in contents.keys {
            guard let index = contents.certificates(of: key.object).first,
                let identity = Identity(certificates[index].object, key.object)
            else { continue }
            let own = certificates[index].entry
            let chain = chain(from: index)
            named.formUnion(chain)
            let keyID = key.entry.localKeyID ?? own.localKeyID ?? key.object.applicationLabel
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
        while let last = chain.last, chain.count < Self.maximumChainLength,
            let issuers = bySubject[certificates[last].object.normalizedIssuer],
            let next = issuers.first(where: { !chain.contains($0) })
        {
            chain.append(next)
        }
        return chain
    }

    private func dictionary(
        _ chain: [Int],
        label: String?,
        _ identity: Identity?,
        _ keyID: Data?
    ) -> NSDictionary {
        let others = certificates.indices.filter { !chain.contains($0) }
        let dictionary = NSMutableDictionary()
        let objects = (chain + others).map { SecCertificate(certificates[$0].object) }
        dictionary[kSecImportItemCertChain] = Array(objects.prefix(chain.count)) as NSArray
        dictionary[kSecImportItemTrust] = SecTrust(
            certificates: objects,
            policies: [SecPolicyCreateBasicX509()]
        )
        if let identity { dictionary[kSecImportItemIdentity] = SecIdentity(identity) }
        if let label { dictionary[kSecImportItemLabel] = NSString(string: label) }
        if let keyID { dictionary[kSecImportItemKeyID] = NSData(data: keyID) }
        return dictionary
    }
}
