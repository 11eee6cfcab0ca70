// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// What is behind an error: the status of the call that failed, and why it failed.
///
/// It holds no key, no name and no value.
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

    /// What is wrong, and what to do about it, in a sentence.
    public let message: String

    init(_ error: KeychainError, status: OSStatus = errSecParam, _ operation: Operation) {
        self.init(error, status, operation, error.message)
    }

    /// The failure of the call that has just answered on this thread.
    init(_ status: OSStatus, _ operation: Operation) {
        let failure = CallFailure(of: status)
        // The status is the same as that of a user who failed, but nobody was asked.
        let error = failure.needsMissingSensor ? .couldNotAccessKeychain : KeychainError(status: status)
        self.init(error, status, operation, failure.message)
    }

    private init(_ error: KeychainError, _ status: OSStatus, _ operation: Operation, _ message: String) {
        self.error = error
        self.status = status
        self.operation = operation
        self.message = message
    }

    /// The same as ``message``, which is what `localizedDescription` gives.
    public var errorDescription: String? { message }

    /// The error, the operation, the status and the sentence.
    public var description: String { "\(error) (\(operation.rawValue), \(status)): \(message)" }
}
