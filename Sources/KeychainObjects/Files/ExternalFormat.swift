// SPDX-License-Identifier: Apache-2.0

/// The file format of keys and certificates to import or export.
///
/// Raw values are those of `SecExternalFormat` on macOS.
package enum ExternalFormat: UInt32, Sendable {
    case unknown = 0
    case openSSL = 1
    case ssh = 2
    case bsafe = 3
    case rawKey = 4
    case wrappedPKCS8 = 5
    case wrappedOpenSSL = 6
    case wrappedSSH = 7
    case wrappedLSH = 8
    case x509Certificate = 9
    case pemSequence = 10
    case pkcs7 = 11
    case pkcs12 = 12
    case netscapeCertificateSequence = 13
    case sshV2 = 14
}

/// The type of the items to import.
///
/// Raw values are those of `SecExternalItemType` on macOS.
package enum ExternalItemType: UInt32, Sendable {
    case unknown = 0
    case privateKey = 1
    case publicKey = 2
    case sessionKey = 3
    case certificate = 4
    case aggregate = 5
}
