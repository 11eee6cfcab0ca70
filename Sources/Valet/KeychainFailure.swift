// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// The cause of an error: the status of the failed call, and its explanation.
///
/// It contains no key, no name and no value.
public struct KeychainFailure: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// What a valet was doing.
    public enum Operation: String, Hashable, Sendable {
        case read, write, remove, list, migrate
    }

    /// The error that the caller caught, or where that is a ``MigrationError`` what the status means to a valet.
    public let error: KeychainError
    /// The status of the keychain; `errSecParam` for an empty key or value, `errSecDecode` for a text that is none.
    public let status: OSStatus
    /// What the valet was doing.
    public let operation: Operation

    /// The problem and the remedy, for the user.
    public let message: String

    init(_ error: KeychainError, status: OSStatus = errSecParam, _ operation: Operation) {
        self.init(error, status, operation, error.message)
    }

    /// The failure of the last call on this thread.
    init(_ status: OSStatus, _ operation: Operation) {
        let failure = CallFailure(of: status)
        // The status is the same as after a failed authentication, but the user was not asked.
        let error = failure.needsMissingSensor ? .couldNotAccessKeychain : KeychainError(status: status)
        self.init(error, status, operation, failure.message)
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
