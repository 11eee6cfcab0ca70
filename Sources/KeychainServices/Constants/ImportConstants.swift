// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Import options

/// The passphrase of the PKCS #12 file to import: a string, or UTF-8 as data.
@safe public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase"

/// Whether to keep imported items out of the keychain; ignored, because imported items are never added to it.
@safe public nonisolated(unsafe) let kSecImportToMemoryOnly: CFString = "memory"

// MARK: Import results

/// The name that the PKCS #12 file gives the identity or certificate: a string.
@safe public nonisolated(unsafe) let kSecImportItemLabel: CFString = "label"

/// The identifier of the key and its certificate: data, usually the SHA-1 digest of the public key.
@safe public nonisolated(unsafe) let kSecImportItemKeyID: CFString = "keyid"

/// A ``SecTrust``, not yet evaluated, for the certificate and the basic policy.
@safe public nonisolated(unsafe) let kSecImportItemTrust: CFString = "trust"

/// The certificate chain from the file, leaf first: an array.
@safe public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain"

/// The identity of the key and its certificate: a ``SecIdentity``.
@safe public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity"
