// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The form of keys and certificates outside a keychain.
///
/// Source: Apple, *SecExternalFormat*; the numbers are those of macOS.
public enum SecExternalFormat: UInt32, Sendable {
    /// Whatever the bytes turn out to be; when exporting, what is usual for the items.
    case formatUnknown = 0
    /// PKCS#1 for a private RSA key, SEC 1 for one of a curve, SubjectPublicKeyInfo for a public key.
    case formatOpenSSL = 1
    /// A public key of SSH 1: not supported.
    case formatSSH = 2
    /// PKCS#8 for a private key, PKCS#1 for a public RSA key.
    case formatBSAFE = 3
    /// A symmetric key: not supported.
    case formatRawKey = 4
    /// PKCS#8 under a passphrase, for a private key.
    case formatWrappedPKCS8 = 5
    /// A private key under a passphrase in OpenSSL's old way: not supported.
    case formatWrappedOpenSSL = 6
    /// A private key of SSH 1: not supported.
    case formatWrappedSSH = 7
    /// A private key in a form of its own: not supported.
    case formatWrappedLSH = 8
    /// An X.509 certificate in DER.
    case formatX509Cert = 9
    /// Any number of items in one PEM text.
    case formatPEMSequence = 10
    /// Certificates in a message of PKCS#7: not supported.
    case formatPKCS7 = 11
    /// An archive of keys and certificates under a passphrase.
    case formatPKCS12 = 12
    /// Certificates in a sequence of Netscape: not supported.
    case formatNetscapeCertSequence = 13
    /// A public key in a line of OpenSSH.
    case formatSSHv2 = 14
}

/// What there is in bytes from outside a keychain.
///
/// Source: Apple, *SecExternalItemType*; the numbers are those of macOS.
public enum SecExternalItemType: UInt32, Sendable {
    /// Whatever it turns out to be.
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

/// How to import or export.
///
/// Source: Apple, *SecItemImportExportFlags*.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    /// The bits, as on macOS.
    public let rawValue: UInt32

    /// Takes bits for what they are.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Export as PEM; importing finds out by itself.
    public static let pemArmour = Self(rawValue: 1)
}

/// How to treat keys that are imported or exported.
///
/// Source: Apple, *SecKeyImportExportFlags*.
public struct SecKeyImportExportFlags: OptionSet, Sendable {
    /// The bits, as on macOS.
    public let rawValue: UInt32

    /// Takes bits for what they are.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Import no more than one private key.
    public static let importOnlyOne = Self(rawValue: 1)
    /// Ask for the passphrase: without effect, because a library asks nobody.
    public static let securePassphrase = Self(rawValue: 2)
    /// Make no access list: without effect, because there are none.
    public static let noAccessControl = Self(rawValue: 4)
}

/// The version of ``SecItemImportExportKeyParameters``.
public let SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION: UInt32 = 0

/// What is said about keys that are imported or exported.
///
/// Source: Apple, *SecItemImportExportKeyParameters*. Differs: there is no access reference, because there are no access
/// lists.
@safe public struct SecItemImportExportKeyParameters {
    /// The version of the structure.
    public var version: UInt32 = SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION
    /// How keys are treated.
    public var flags: SecKeyImportExportFlags = []
    /// The passphrase: a string, or UTF-8 as data.
    public var passphrase: Unmanaged<CFTypeRef>? = nil
    /// The title of a question to the user: without effect.
    public var alertTitle: Unmanaged<CFString>? = nil
    /// The text of a question to the user: without effect.
    public var alertPrompt: Unmanaged<CFString>? = nil
    /// What imported keys are for: without effect, because nothing is put into a keychain.
    public var keyUsage: Unmanaged<CFArray>? = nil
    /// The attributes of imported keys: without effect, because nothing is put into a keychain.
    public var keyAttributes: Unmanaged<CFArray>? = nil

    /// Says nothing about the keys.
    public init() {}
}

/// A keychain in a file, of which there are none.
///
/// The type is here for calls that take one; `nil` is the only value that there is.
public final class SecKeychain: Sendable {
    private init() {}
}
