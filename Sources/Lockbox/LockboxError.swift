// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// Why a lockbox could not do what it was asked; it holds neither a key nor a value.
public struct LockboxError: LocalizedError, Hashable, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The keychain refused; the status says why, `errSecInteractionNotAllowed` that it is locked.
        case keychain
        /// The value cannot be stored: its class does not support secure coding, it is larger than 16 MiB, or collections
        /// are nested more than 64 levels deep, for example because one contains itself.
        case unsupportedValue
        /// What is stored is not what was asked for; it is still there.
        case undecodableValue
        /// What is stored is an archive of another key: the prefix `a` with the key `b.c`, and `a.b` with `c`, make the
        /// same service. Nothing was written.
        case anotherKey
    }

    /// The kind of failure.
    public let reason: Reason

    /// The keychain's status, or the one that says the same: `errSecParam` for a value that has no form, `errSecDecode`
    /// for one that cannot be read, `errSecDuplicateItem` for that of another key.
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
    static let anotherKey = Self(
        .anotherKey,
        errSecDuplicateItem,
        "the item belongs to another key that maps to the same service; use another prefix or key"
    )
}

extension LockboxError: KeychainStatusError {
    package init(status: OSStatus) { self.init(.keychain, status, CallFailure(of: status).message) }
}

extension LockboxError: CustomStringConvertible {
    /// The reason, the status and the message.
    public var description: String { "\(reason), status \(status): \(message)" }
}
