// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// The name of an algorithm for asymmetric keys.
///
/// There is a constant for each of Apple's algorithms with RSA and elliptic curves. Calls with an algorithm that
/// the underlying libraries do not implement return `errSecUnimplemented`; check with
/// ``SecKeyIsAlgorithmSupported(_:_:_:)``.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    private let name: String

    init(named name: String) { self.name = name }

    /// Creates an algorithm from its name; an unknown name makes an algorithm that no key supports.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// The name, such as `algid:sign:ECDSA:message-X962:SHA256`.
    public var rawValue: CFString { NSString(string: name) }

    var row: KeyAlgorithm? { KeyAlgorithm(named: name) }
}

/// An operation that a key performs.
public enum SecKeyOperationType: Int, Sendable {
    /// Sign with a private key.
    case sign = 0
    /// Verify a signature with a public key.
    case verify = 1
    /// Encrypt with a public key.
    case encrypt = 2
    /// Decrypt with a private key.
    case decrypt = 3
    /// Compute a shared secret with a private key and another party's public key.
    case keyExchange = 4
}

/// The name of a parameter for ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
    private let name: String

    private init(named name: String) { self.name = name }

    /// Creates a parameter from its name, the key in the dictionary of parameters.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// The name of the parameter.
    public var rawValue: CFString { NSString(string: name) }

    /// The size of the derived secret in bytes, as a number.
    public static let requestedSize = Self(named: "requestedSize")
    /// The shared info of the key derivation function, as data.
    public static let sharedInfo = Self(named: "sharedInfo")
}
