// SPDX-License-Identifier: Apache-2.0

public import Foundation

// MARK: The class of an item

/// The key of the item class; every dictionary names one, unless a persistent reference does.
public nonisolated(unsafe) let kSecClass: CFString = "class"

/// A password of a program's own, found by service and account.
public nonisolated(unsafe) let kSecClassGenericPassword: CFString = "genp"

/// A password for a server on a network.
public nonisolated(unsafe) let kSecClassInternetPassword: CFString = "inet"

/// An X.509 certificate.
public nonisolated(unsafe) let kSecClassCertificate: CFString = "cert"

/// A cryptographic key.
public nonisolated(unsafe) let kSecClassKey: CFString = "keys"

/// A certificate together with its private key.
public nonisolated(unsafe) let kSecClassIdentity: CFString = "idnt"

/// A class of old file keychains.
///
/// Differs: every call answers `errSecNoSuchClass`, as the data protection keychain does.
public nonisolated(unsafe) let kSecClassAppleSharePassword: CFString = "apls"
