// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The file format of keys and certificates to import or export.
///
/// Source: Apple, *SecExternalFormat*; the raw values are the same as on macOS.
public enum SecExternalFormat: UInt32, Sendable {
    /// Detect the format; when exporting, use the default format for the items.
    case formatUnknown = 0
    /// The formats of the `openssl` program.
    ///
    /// They are PKCS#1 for an RSA private key, SEC 1 for an elliptic-curve private key, PKCS#8 for an Ed25519
    /// private key, SubjectPublicKeyInfo for a public key, and X.509 for a certificate.
    case formatOpenSSL = 1
    /// An SSH 1 public key: not supported.
    case formatSSH = 2
    /// PKCS#8 for a private key, PKCS#1 for an RSA public key; other public keys cannot be exported in it.
    case formatBSAFE = 3
    /// A symmetric key: not supported.
    case formatRawKey = 4
    /// Encrypted PKCS#8, for a private key.
    case formatWrappedPKCS8 = 5
    /// A private key in OpenSSL's legacy encryption: not supported.
    case formatWrappedOpenSSL = 6
    /// An SSH 1 private key: not supported.
    case formatWrappedSSH = 7
    /// A private key in LSH format: not supported.
    case formatWrappedLSH = 8
    /// An X.509 certificate in DER.
    case formatX509Cert = 9
    /// Any number of items in PEM.
    case formatPEMSequence = 10
    /// Certificates in a PKCS#7 message: not supported.
    case formatPKCS7 = 11
    /// A PKCS#12 archive of keys and certificates, protected by a passphrase.
    case formatPKCS12 = 12
    /// A Netscape certificate sequence: not supported.
    case formatNetscapeCertSequence = 13
    /// A public key as a line of text in OpenSSH's format; importing also accepts unencrypted private keys.
    case formatSSHv2 = 14
}

/// The type of the items to import.
///
/// Source: Apple, *SecExternalItemType*; the raw values are the same as on macOS.
public enum SecExternalItemType: UInt32, Sendable {
    /// Detect the type.
    case itemTypeUnknown = 0
    /// A private key.
    case itemTypePrivateKey = 1
    /// A public key.
    case itemTypePublicKey = 2
    /// A symmetric key: not supported.
    case itemTypeSessionKey = 3
    /// A certificate.
    case itemTypeCertificate = 4
    /// Several items, or an archive.
    case itemTypeAggregate = 5
}

/// Options for importing or exporting items.
///
/// Source: Apple, *SecItemImportExportFlags*.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    /// The raw bits of the options, with the same values as on macOS.
    public let rawValue: UInt32

    /// Creates options from their raw bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Export as PEM; importing detects PEM automatically.
    public static let pemArmour = Self(rawValue: 1)
}

/// Options for importing or exporting keys.
///
/// Source: Apple, *SecKeyImportExportFlags*.
public struct SecKeyImportExportFlags: OptionSet, Sendable {
    /// The raw bits of the options, with the same values as on macOS.
    public let rawValue: UInt32

    /// Creates options from their raw bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Return `errSecMultiplePrivKeys` if the data to import contains more than one private key.
    public static let importOnlyOne = Self(rawValue: 1)
    /// Prompt for the passphrase: ignored, because ``SecItemImport(_:_:_:_:_:_:_:_:)`` never prompts.
    public static let securePassphrase = Self(rawValue: 2)
    /// Create no access control list: ignored, because this module has no access control lists.
    public static let noAccessControl = Self(rawValue: 4)
}

/// The only version of the structure ``SecItemImportExportKeyParameters``.
public let SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: UInt32 = 0

/// Parameters for importing or exporting keys.
///
/// Source: Apple, *SecItemImportExportKeyParameters*. Differs: the field `accessRef` is missing, because there are
/// no access control lists.
@safe public struct SecItemImportExportKeyParameters {
    /// The version of the structure: ``SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION``.
    public var version: UInt32 = SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION
    /// Options for importing or exporting the keys.
    public var flags: SecKeyImportExportFlags = []
    /// The passphrase of the file to import or export: a string, or UTF-8 as data.
    public var passphrase: Unmanaged<CFTypeRef>? = nil
    /// The title of a prompt: ignored.
    public var alertTitle: Unmanaged<CFString>? = nil
    /// The message of a prompt: ignored.
    public var alertPrompt: Unmanaged<CFString>? = nil
    /// The usage of imported keys: ignored, because nothing is added to a keychain.
    public var keyUsage: Unmanaged<CFArray>? = nil
    /// The attributes of imported keys: ignored, because nothing is added to a keychain.
    public var keyAttributes: Unmanaged<CFArray>? = nil

    /// Creates parameters with default values.
    public init() {}
}

/// A keychain file, which does not exist on Linux.
///
/// The type exists because functions have parameters of this type; the only possible argument is `nil`.
public final class SecKeychain: Sendable {
    private init() {}
}
