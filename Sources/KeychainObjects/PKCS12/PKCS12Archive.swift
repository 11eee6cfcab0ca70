// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// What is in a PKCS #12 file: keys, certificates, and what ties them together.
///
/// OpenSSL reads and writes such files, the library of the system. Without the package trait `PKCS12` nothing of it is
/// linked and every call throws ``KeychainModel/Status/unimplemented``.
///
/// Source: RFC 7292.
package struct PKCS12Archive: Sendable {
    /// A private key.
    package struct PrivateKey: Sendable {
        /// The key as a file has it: PKCS #8 in DER.
        package var pkcs8: SharedBytes
        package var label: String?
        /// What a certificate says that belongs to the key.
        package var localKeyID: Data?

        package init(pkcs8: SharedBytes, label: String? = nil, localKeyID: Data? = nil) {
            self.pkcs8 = pkcs8
            self.label = label
            self.localKeyID = localKeyID
        }
    }

    /// A certificate, in DER.
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

    /// The most keys that a file is made of: each costs whoever reads it the time of a guess.
    package static let maximumKeys = 40

    /// The most keys and certificates, those of a file that is read as well.
    package static let maximumBags = 1_024

    package init(keys: [PrivateKey], certificates: [Certificate]) {
        self.keys = keys
        self.certificates = certificates
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The bytes: at most 16 MiB.
    ///   - passphrase: The passphrase. An empty one also opens a file that was made without any.
    /// - Throws: `authenticationFailed` for another passphrase, `undecodable` for damage and for too much work,
    ///   `unimplemented` without the trait.
    package init(_ file: Data, passphrase: SharedBytes) throws(StatusError) {
        #if PKCS12
        self = try PKCS12Reader.read(file, passphrase: passphrase)
        #else
        throw StatusError(.unimplemented, .pkcs12TraitDisabled)
        #endif
    }

    /// Makes a file.
    ///
    /// The contents are encrypted with AES-256 and authenticated with HMAC-SHA-256, under keys that 100,000 rounds of
    /// PBKDF2 and of the function of RFC 7292 make from the passphrase.
    ///
    /// - Throws: `invalidParameter` where there is nothing to write, for more than ``maximumKeys`` or ``maximumBags``
    ///   and for a passphrase with a zero in it; `unimplemented` without the trait.
    package func file(passphrase: SharedBytes) throws(StatusError) -> Data {
        #if PKCS12
        return try PKCS12Writer.file(self, passphrase: passphrase)
        #else
        throw StatusError(.unimplemented, .pkcs12TraitDisabled)
        #endif
    }
}
