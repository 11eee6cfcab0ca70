// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import KeychainItems
public import KeychainServices

/// The error of a keychain call; it contains neither keys nor values.
public struct FXKeychainError: LocalizedError, Hashable, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The keychain call failed; the status is `errSecInteractionNotAllowed` if the keychain is locked.
        case keychain
        /// The value or key cannot be stored.
        ///
        /// For example, the value is not a property list, and ``FXKeychain/Options/acceptsKeyedArchives`` is off or the
        /// options do not allow its class; it is larger than 16 MiB; or its collections are nested more than 64 levels
        /// deep, as in a collection that contains itself. Such a collection cannot be a key either.
        case unsupportedValue
        /// The stored bytes cannot be decoded; they are unchanged.
        ///
        /// They are not a string, a property list, a permitted archive or, for ``FXKeychain/value(_:forKey:)``, JSON of
        /// the requested type.
        case undecodableValue
        /// Several items have the key, or the call would affect the items of all services.
        ///
        /// With ``FXKeychain/Options/WildcardWrites/refuseWhenAmbiguous``, a write fails with this reason if several
        /// items have the key. Without a service, ``FXKeychain/removeAllObjects()`` always fails with this reason.
        case ambiguousKey
    }

    /// The kind of failure.
    public let reason: Reason

    /// The keychain's status, or an equivalent for other failures.
    ///
    /// The equivalent is `errSecParam` for an unsupported value, `errSecDecode` for an undecodable value, and
    /// `errSecDuplicateItem` for an ambiguous key.
    public let status: OSStatus

    /// The problem and its solution, for the user.
    public let message: String

    /// The same as ``message``; `localizedDescription` returns it.
    public var errorDescription: String? { message }

    init(_ reason: Reason, _ status: OSStatus, _ message: String) {
        self.reason = reason
        self.status = status
        self.message = message
    }

    static let unsupportedValue = Self(
        .unsupportedValue,
        errSecParam,
        "the value cannot be stored; the old value is kept"
    )
    static let undecodableValue = Self(
        .undecodableValue,
        errSecDecode,
        "the stored data cannot be decoded; it was not changed"
    )
    static let ambiguousKey = Self(
        .ambiguousKey,
        errSecDuplicateItem,
        "several items have the key; set a service and an access group to select one"
    )
    static let everyService = Self(
        .ambiguousKey,
        errSecDuplicateItem,
        "the call would remove the items of all services; set a service"
    )
}

extension FXKeychainError: WrapperError {
    package init(_ error: VaultError) { self.init(.keychain, error.status, error.localizedDescription) }

    package init(status: OSStatus) { self.init(VaultError(status: status, .read)) }

    static var itemNotFound: Self { Self(status: errSecItemNotFound) }
}

extension FXKeychainError: CustomStringConvertible {
    /// The reason, the status and the message.
    public var description: String { "\(reason), status \(status): \(message)" }
}
