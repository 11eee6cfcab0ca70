// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// The keys and certificates of a PKCS #12 file.
///
/// Files are read and written with the system's OpenSSL. Without the package trait `PKCS12`, OpenSSL is not
/// linked and every call throws ``KeychainModel/Status/unimplemented``.
///
/// Source: RFC 7292.
package struct PKCS12Archive: Sendable {
    package struct PrivateKey: Sendable {
        package var pkcs8: SharedBytes
        package var label: String?
        /// The identifier that the file gives to the key and its certificate; `nil` if it gives none.
        package var localKeyID: Data?

        package init(pkcs8: SharedBytes, label: String? = nil, localKeyID: Data? = nil) {
            self.pkcs8 = pkcs8
            self.label = label
            self.localKeyID = localKeyID
        }
    }

    package struct Certificate: Hashable, Sendable {
        package var der: Data
        package var label: String?
        package var localKeyID: Data?

        package init(der: Data, label: String? = nil, localKeyID: Data? = nil) {
            self.der = der
            self.label = label
            self.localKeyID = localKeyID
        }
    }

    package var keys: [PrivateKey]
    package var certificates: [Certificate]

    /// The maximum number of keys to write, because reading requires a key derivation for each.
    package static let maximumKeys = 40

    /// The maximum number of keys and certificates together, for writing and for reading.
    package static let maximumBags = 1_024

    package init(keys: [PrivateKey], certificates: [Certificate]) {
        self.keys = keys
        self.certificates = certificates
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The PKCS #12 data, at most 16 MiB.
    ///   - passphrase: The passphrase. An empty passphrase also decrypts a file without a passphrase.
    /// - Throws: `authenticationFailed` for a wrong passphrase; `undecodable` for a damaged or too large file, or one
    ///   with unsupported encryption or too many key derivation rounds, keys or certificates; `invalidParameter` for a
    ///   passphrase of more than 1,024 bytes; `unimplemented` without the trait.
    package init(_ file: Data, passphrase: SharedBytes) throws(StatusError) {
        #if PKCS12
        self = try PKCS12Reader.read(file, passphrase: passphrase)
        #else
        throw StatusError(.unimplemented, .pkcs12TraitDisabled)
        #endif
    }

    /// Serializes the archive.
    ///
    /// The contents are encrypted with AES-256 and authenticated with HMAC-SHA-256. The encryption keys are
    /// derived from the passphrase by 100,000 rounds of PBKDF2, and the authentication key by 100,000 rounds of the
    /// function in RFC 7292, appendix B.
    ///
    /// - Throws: `invalidParameter` for an empty archive, for more keys than ``maximumKeys``, for more keys and
    ///   certificates than ``maximumBags``, and for a passphrase with a zero byte or more than 1,024 bytes;
    ///   `undecodable` for a malformed key or certificate; `unimplemented` without the trait.
    package func file(passphrase: SharedBytes) throws(StatusError) -> Data {
        #if PKCS12
        return try PKCS12Writer.file(self, passphrase: passphrase)
        #else
        throw StatusError(.unimplemented, .pkcs12TraitDisabled)
        #endif
    }
}
