// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// Why a keychain could not do what it was asked; it holds neither a key nor a value.
public struct FXKeychainError: LocalizedError, Hashable, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The keychain refused; the status says why, `errSecInteractionNotAllowed` that it is locked.
        case keychain
        /// The value cannot be stored: it is not a property list, and archives are off or do not allow its class; it is
        /// larger than 16 MiB; or collections are nested more than 64 levels deep, for example because one contains
        /// itself. Such a collection cannot be a key either.
        case unsupportedValue
        /// What is stored is no text, no property list and no archive that may be read; it is still there.
        case undecodableValue
        /// More than one item has the key, because the keychain has no service.
        case ambiguousKey
    }

    /// The kind of failure.
    public let reason: Reason

    /// The keychain's status, or the one that says the same: `errSecParam` for a value that has no form, `errSecDecode`
    /// for one that cannot be read, `errSecDuplicateItem` for a key that several items have.
    public let status: OSStatus

    /// The problem and the remedy, for the user.
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
        "several items have the key; set a service to select one"
    )
}

extension FXKeychainError: KeychainStatusError {
    package init(status: OSStatus) { self.init(.keychain, status, CallFailure(of: status).message) }
}

extension FXKeychainError: CustomStringConvertible {
    /// The reason, the status and the message.
    public var description: String { "\(reason), status \(status): \(message)" }
}
