// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Parses keys, certificates and identities, without adding them to the keychain.
///
/// The format is detected: PEM with any number of objects, DER, OpenSSH lines or a PKCS #12 archive. If any
/// part fails to parse, nothing is returned.
///
/// - Parameters:
///   - importedData: The data, at most 16 MiB.
///   - fileNameOrExtension: The name of the file: ignored, because the format is detected from the data.
///   - inputFormat: The format, or `formatUnknown`; receives the detected format. May be `nil`.
///   - itemType: The item type, or `itemTypeUnknown`; receives the detected type. May be `nil`.
///   - flags: Ignored.
///   - keyParams: The passphrase, if one is needed, and the flag `importOnlyOne`. May be `nil`.
///   - importKeychain: Pass `nil`.
///   - outItems: Receives an array of ``SecKey``, ``SecCertificate`` and ``SecIdentity``. May be `nil`.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// If a format or an item type is given, all items must conform to it. `formatBSAFE` and `formatWrappedPKCS8` accept
/// keys in any encoding; `formatX509Cert` accepts certificates in any encoding. `formatPEMSequence` accepts all formats
/// except PKCS #12 and OpenSSH; as on macOS, `formatOpenSSL` accepts all items. Every supported item type accepts a
/// PKCS #12 archive.
///
/// - `errSecUnknownFormat`: the data is malformed, truncated or too large, or not of the given format or item type.
/// - `errSecUnsupportedFormat`: the format or a key type is not supported.
/// - `errSecPassphraseRequired`: the data needs a passphrase, and none was given.
/// - `errSecPkcs12VerifyFailure`: the passphrase is wrong, or the archive was changed.
/// - `errSecAuthFailed`: the passphrase of an encrypted PKCS #8 key is wrong, or its ciphertext is damaged.
/// - `errSecMultiplePrivKeys`: there is more than one private key, and `keyParams` has `importOnlyOne`.
/// - `errSecDecode`: an archive is damaged or empty, the structure of an encrypted key is malformed, the encryption of
///   either is not supported, or opening the data would take more than 5 million rounds of key derivation.
/// - `errSecParam`: the passphrase is neither string nor data, or is longer than 1,024 bytes.
/// - `errSecUnimplemented`: the package trait `Objects` is not enabled, or the data needs the package trait
///   `PKCS12`, which is not enabled.
///
/// Source: Apple, *SecItemImport(_:_:_:_:_:_:_:_:)*. Differs: items are not added to a keychain; use
/// ``SecItemAdd(_:_:)``. Differs: PKCS #12 archives yield identities, which macOS creates only in a keychain.
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

/// Exports keys, certificates and identities.
///
/// - Parameters:
///   - secItemOrArray: A ``SecKey``, a ``SecCertificate``, a ``SecIdentity``, or an array of them.
///   - outputFormat: The format; `formatUnknown` selects OpenSSL's format for a key, DER for a certificate, and PEM
///     for anything else.
///   - flags: `pemArmour` for PEM. Several items are always exported as PEM, except in an archive or as OpenSSH lines.
///   - keyParams: The passphrase, for formats that need one.
///   - exportedData: Receives the data, which is secret if it contains private keys.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// - `errSecUnsupportedFormat`: the format is not supported, or cannot contain an item of this type.
/// - `errSecPassphraseRequired`: the format needs a passphrase, and none was given.
/// - `errSecParam`: the first argument is not an item or an array of items, or the array is empty; the passphrase is
///   neither string nor data, or is longer than 1,024 bytes; or the passphrase of an archive contains a zero byte.
/// - `errSecUnimplemented`: the package trait `Objects` is not enabled; the format needs the package trait
///   `PKCS12`, which is not enabled; a private key is in the Secure Enclave; or an archive would contain more than
///   40 private keys or 1,024 items.
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

private func exportedObjects(_ argument: AnyObject) throws(KeyCallError) -> [KeychainObject] {
    let objects = (argument as? NSArray)?.objects ?? [argument]
    let items = objects.compactMap { KeychainObject($0) }
    guard items.count == objects.count else { throw KeyCallError(errSecParam) }
    return items
}

extension SecExternalFormat {
    fileprivate var content: ExternalFormat { ExternalFormat(rawValue: rawValue) ?? .unknown }

    fileprivate init(_ format: ExternalFormat) { self = Self(rawValue: format.rawValue) ?? .formatUnknown }
}

extension SecExternalItemType {
    fileprivate var content: ExternalItemType { ExternalItemType(rawValue: rawValue) ?? .unknown }

    fileprivate init(_ type: ExternalItemType) { self = Self(rawValue: type.rawValue) ?? .itemTypeUnknown }
}
