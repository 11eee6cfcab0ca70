// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: The class of an item

/// The key of the item class; every dictionary names one, unless a persistent reference does.
@safe public nonisolated(unsafe) let kSecClass: CFString = "class"

/// A password of a program's own, found by service and account.
@safe public nonisolated(unsafe) let kSecClassGenericPassword: CFString = "genp"

/// A password for a server on a network.
@safe public nonisolated(unsafe) let kSecClassInternetPassword: CFString = "inet"

/// An X.509 certificate.
@safe public nonisolated(unsafe) let kSecClassCertificate: CFString = "cert"

/// A cryptographic key.
@safe public nonisolated(unsafe) let kSecClassKey: CFString = "keys"

/// A certificate together with its private key.
@safe public nonisolated(unsafe) let kSecClassIdentity: CFString = "idnt"

/// A class of old file keychains.
///
/// Differs: every call answers `errSecNoSuchClass`, as the data protection keychain does.
@safe public nonisolated(unsafe) let kSecClassAppleSharePassword: CFString = "apls"
