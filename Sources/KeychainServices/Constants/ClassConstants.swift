// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: Item classes

/// The item class: one of the `kSecClass…` values.
///
/// Every call needs this key, unless its dictionary contains an object or a persistent reference.
@safe public nonisolated(unsafe) let kSecClass: CFString = "class"

/// The item is a generic password: a password of a program, identified by service and account.
@safe public nonisolated(unsafe) let kSecClassGenericPassword: CFString = "genp"

/// The item is an internet password: a password for a network server.
@safe public nonisolated(unsafe) let kSecClassInternetPassword: CFString = "inet"

/// The item is an X.509 certificate.
@safe public nonisolated(unsafe) let kSecClassCertificate: CFString = "cert"

/// The item is a cryptographic key.
@safe public nonisolated(unsafe) let kSecClassKey: CFString = "keys"

/// The item is an identity: a certificate and its private key.
@safe public nonisolated(unsafe) let kSecClassIdentity: CFString = "idnt"

/// The item is an AppleShare password; calls that use it return `errSecNoSuchClass`.
///
/// Differs: macOS accepts the class for file-based keychains.
@safe public nonisolated(unsafe) let kSecClassAppleSharePassword: CFString = "apls"
