// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems
public import KeychainServices

/// The cause of an error: the status of the failed call, and its explanation.
///
/// A failure contains no key, no value, and no name of a service or access group. The message can name a file of the
/// store.
public struct KeychainFailure: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    public enum Operation: String, Hashable, Sendable {
        case read, write, remove, list, migrate
    }

    /// The error that was thrown; after a ``MigrationError``, the error equivalent to ``status``.
    public let error: KeychainError
    /// The status of the call; `errSecParam` for an empty key or value, `errSecDecode` for invalid UTF-8.
    public let status: OSStatus
    /// The operation that failed.
    public let operation: Operation

    /// The problem and its solution, for the user.
    public let message: String

    init(_ error: KeychainError, status: OSStatus = errSecParam, _ operation: Operation) {
        self.init(error, status, operation, error.message)
    }

    /// Creates a failure from a status, such as one that a `SecItem` function has just returned on this thread.
    init(_ status: OSStatus, _ operation: Operation) {
        self.init(VaultError(status: status, .migrate), operation)
    }

    init(_ failure: VaultError, _ operation: Operation) {
        // A missing sensor has the status of a failed authentication, but the user was not prompted.
        let isSensorMissing = failure.reason == .biometryUnavailable
        let error = isSensorMissing ? .couldNotAccessKeychain : KeychainError(status: failure.status)
        self.init(error, failure.status, operation, failure.localizedDescription)
    }

    private init(_ error: KeychainError, _ status: OSStatus, _ operation: Operation, _ message: String) {
        self.error = error
        self.status = status
        self.operation = operation
        self.message = message
    }

    /// The same as ``message``; `localizedDescription` returns it.
    public var errorDescription: String? { message }

    /// The error, the operation, the status and the message.
    public var description: String { "\(error) (\(operation.rawValue), \(status)): \(message)" }
}
