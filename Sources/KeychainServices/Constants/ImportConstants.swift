// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: What goes in

/// The passphrase of a file to import: a string, or UTF-8 as data.
@safe public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase"

/// Whether what is imported stays out of the keychain: accepted and ignored, because nothing is put there.
@safe public nonisolated(unsafe) let kSecImportToMemoryOnly: CFString = "memory"

// MARK: What comes back

/// The name that the file gives to an identity: a string.
@safe public nonisolated(unsafe) let kSecImportItemLabel: CFString = "label"

/// What ties key and certificate together: data, usually the SHA-1 digest of the public key.
@safe public nonisolated(unsafe) let kSecImportItemKeyID: CFString = "keyid"

/// A trust object of the certificate and the basic policy, not evaluated yet: a ``SecTrust``.
@safe public nonisolated(unsafe) let kSecImportItemTrust: CFString = "trust"

/// The certificate, and behind it those of the file that lead upward: an array.
@safe public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain"

/// The key and the certificate: an identity.
@safe public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity"
