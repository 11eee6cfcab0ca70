// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Reads keys, certificates and identities from bytes; nothing is put into the keychain.
///
/// PEM with any number of objects, DER, lines of OpenSSH and PKCS #12 archives are told apart by what they are. Either
/// everything is read or nothing.
///
/// - Parameters:
///   - importedData: The bytes: at most 16 MiB.
///   - fileNameOrExtension: The name of the file: without effect, because the bytes say more.
///   - inputFormat: The format, or `formatUnknown`; receives the one that was found. Pass `nil` to do without.
///   - itemType: The kind of item, or `itemTypeUnknown`; receives what was found. Pass `nil` to do without.
///   - flags: Without effect.
///   - keyParams: The passphrase, where one is needed. Pass `nil` to do without.
///   - importKeychain: Pass `nil`.
///   - outItems: Receives an array of ``SecKey``, ``SecCertificate`` and ``SecIdentity``. Pass `nil` to do without.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// `formatOpenSSL` is taken for a hint, as on macOS. With any other format or type the items must be of the kind that it is
/// for: keys for `formatBSAFE` and `formatWrappedPKCS8`, whichever way they are written.
///
/// - `errSecUnknownFormat`: the bytes are nothing that is known, are cut off, or are not what was named.
/// - `errSecUnsupportedFormat`: the format is known and not supported, or a key is of a kind that is not.
/// - `errSecPassphraseRequired`: there is no passphrase, and the bytes need one.
/// - `errSecPkcs12VerifyFailure`: the passphrase is wrong, or the archive was changed.
/// - `errSecAuthFailed`: the passphrase is wrong for an encrypted PKCS #8 key.
/// - `errSecMultiplePrivKeys`: there is more than one private key, and `keyParams` says `importOnlyOne`.
/// - `errSecDecode`: an archive is damaged, or opening it would take more than 5 million rounds.
/// - `errSecParam`: the passphrase is neither string nor data, or is longer than 1,024 bytes.
/// - `errSecUnimplemented`: the bytes need the package trait `PKCS12`, which is not enabled.
///
/// Source: Apple, *SecItemImport(_:_:_:_:_:_:_:_:)*. Differs: there is no keychain to put the items in; add them with
/// ``SecItemAdd(_:_:)``. Differs: identities come of PKCS #12 archives here, where macOS
/// makes them in a keychain only.
@discardableResult
public func SecItemImport(
    _ importedData: CFData,
    _ fileNameOrExtension: CFString?,
    _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    do {
        try ObjectsTrait.check()
        let reader = ExternalItemReader(passphrase: try unsafe keyParams?.pointee.secret())
        let found = try reader.read(
            Data(referencing: importedData),
            as: unsafe inputFormat?.pointee.content ?? .unknown,
            of: unsafe itemType?.pointee.content ?? .unknown
        )
        let isLimited = unsafe keyParams?.pointee.flags.contains(.importOnlyOne) ?? false
        guard !isLimited || found.privateKeyCount <= 1 else { return errSecMultiplePrivKeys }
        unsafe inputFormat?.pointee = SecExternalFormat(found.format)
        unsafe itemType?.pointee = SecExternalItemType(found.type)
        unsafe outItems?.pointee = found.items.map(\.object) as NSArray
        return errSecSuccess
    } catch {
        return KeyCallError(error).status
    }
}

/// Writes keys, certificates and identities as bytes.
///
/// - Parameters:
///   - secItemOrArray: A ``SecKey``, a ``SecCertificate``, a ``SecIdentity``, or an array of them.
///   - outputFormat: The format; with `formatUnknown` that of OpenSSL for a key, DER for a certificate, and a PEM text
///     for anything else.
///   - flags: `pemArmour` for PEM. Several items are always PEM, but for an archive and lines of OpenSSH.
///   - keyParams: The passphrase, for the formats that want one.
///   - exportedData: Receives the bytes. Of private keys they are a secret.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// - `errSecUnsupportedFormat`: the format is not supported, or not for an item of this kind.
/// - `errSecPassphraseRequired`: the format wants a passphrase, and there is none.
/// - `errSecParam`: what is to be exported is no item or array of items, or is empty; or the passphrase is neither string
///   nor data, is longer than 1,024 bytes, or has a zero in it where an archive is written.
/// - `errSecUnimplemented`: the format needs the package trait `PKCS12`, which is not enabled; or an archive would hold
///   more than 40 private keys or 1,024 items.
///
/// Source: Apple, *SecItemExport(_:_:_:_:_:)*.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef,
    _ outputFormat: SecExternalFormat,
    _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?,
    _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    do {
        try ObjectsTrait.check()
        let writer = ExternalItemWriter(
            isArmoured: flags.contains(.pemArmour),
            passphrase: try unsafe keyParams?.pointee.secret()
        )
        let objects = try exportedObjects(secItemOrArray)
        unsafe exportedData.pointee = ResultData.taking(try writer.write(objects, as: outputFormat.content))
        return errSecSuccess
    } catch {
        return KeyCallError(error).status
    }
}

/// The keys, certificates and identities of an argument, which is one of them or an array.
private func exportedObjects(_ argument: AnyObject) throws(KeyCallError) -> [KeychainObject] {
    let objects = (argument as? NSArray)?.objects ?? [argument]
    let items = objects.compactMap { KeychainObject($0) }
    guard items.count == objects.count else { throw KeyCallError(errSecParam) }
    return items
}

extension SecExternalFormat {
    /// The same format below the API.
    fileprivate var content: ExternalFormat { ExternalFormat(rawValue: rawValue) ?? .unknown }

    fileprivate init(_ format: ExternalFormat) { self = Self(rawValue: format.rawValue) ?? .formatUnknown }
}

extension SecExternalItemType {
    /// The same type below the API.
    fileprivate var content: ExternalItemType { ExternalItemType(rawValue: rawValue) ?? .unknown }

    fileprivate init(_ type: ExternalItemType) { self = Self(rawValue: type.rawValue) ?? .itemTypeUnknown }
}
