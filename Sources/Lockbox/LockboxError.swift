// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import KeychainItems
public import KeychainServices

/// The error of a lockbox call; it contains neither keys nor values.
public struct LockboxError: LocalizedError, Hashable, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The keychain call failed; the status is `errSecInteractionNotAllowed` if the keychain is locked.
        case keychain
        /// The value cannot be stored.
        ///
        /// For example, its class does not support secure coding, it is larger than 16 MiB, or its collections are
        /// nested more than 64 levels deep, as in a collection that contains itself.
        case unsupportedValue
        /// The stored bytes cannot be decoded as requested; they are unchanged.
        case undecodableValue
        /// The item is the archive of another key with the same service. Nothing was written.
        ///
        /// For example, the key `b.c` with the prefix `a` and the key `c` with the prefix `a.b` have the same service.
        case anotherKey
    }

    /// The kind of failure.
    public let reason: Reason

    /// The keychain's status, or an equivalent for other failures.
    ///
    /// The equivalent is `errSecParam` for an unsupported value, `errSecDecode` for an undecodable value, and
    /// `errSecDuplicateItem` for the archive of another key.
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
    static let anotherKey = Self(
        .anotherKey,
        errSecDuplicateItem,
        "the item belongs to another key that maps to the same service; use another prefix or key"
    )
}

extension LockboxError: WrapperError {
    package init(_ error: VaultError) { self.init(.keychain, error.status, error.localizedDescription) }

    package init(status: OSStatus) { self.init(VaultError(status: status, .read)) }

    static var itemNotFound: Self { Self(status: errSecItemNotFound) }
}

extension LockboxError: CustomStringConvertible {
    /// The reason, the status and the message.
    public var description: String { "\(reason), status \(status): \(message)" }
}
