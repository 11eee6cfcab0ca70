// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// The name of an algorithm for the keys of a pair.
///
/// Every name of Apple's exists. What the libraries under this one do not compute is refused with
/// `errSecUnimplemented`; ``SecKeyIsAlgorithmSupported(_:_:_:)`` tells beforehand.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    private let name: String

    init(named name: String) { self.name = name }

    /// Takes a name as it is written in a dictionary or a file.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// The name in text, such as `algid:sign:ECDSA:message-X962:SHA256`.
    public var rawValue: CFString { NSString(string: name) }

    /// The row of the table; `nil` for a name that nobody has given.
    var row: KeyAlgorithm? { KeyAlgorithm(named: name) }
}

/// What a key is to do with an algorithm.
public enum SecKeyOperationType: Int, Sendable {
    /// To sign, with a private key.
    case sign = 0
    /// To check a signature, with a public key.
    case verify = 1
    /// To encrypt, with a public key.
    case encrypt = 2
    /// To decrypt, with a private key.
    case decrypt = 3
    /// To agree on a secret, with a private key and the public key of another pair.
    case keyExchange = 4
}

/// The name of a parameter for ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
    private let name: String

    private init(named name: String) { self.name = name }

    /// Takes a name as it is written in a dictionary.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// The name in text.
    public var rawValue: CFString { NSString(string: name) }

    /// The size in bytes of the secret that is to be derived, as a number.
    public static let requestedSize = Self(named: "requestedSize")
    /// What both sides put into the derivation, as data.
    public static let sharedInfo = Self(named: "sharedInfo")
}
