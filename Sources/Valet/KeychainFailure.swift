// SPDX-License-Identifier: Apache-2.0

public import KeychainServices

/// What is behind an error: the status of the call that failed.
///
/// It holds no key, no name and no value.
public struct KeychainFailure: Error, Hashable, Sendable, CustomStringConvertible {
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

    init(_ error: KeychainError, status: OSStatus = errSecParam, _ operation: Operation) {
        self.error = error
        self.status = status
        self.operation = operation
    }

    init(_ status: OSStatus, _ operation: Operation) {
        self.init(KeychainError(status: status), status: status, operation)
    }

    /// What the status means, in a sentence.
    public var message: String {
        let sentence = SecCopyErrorMessageString(status, nil)
        return sentence.map { $0 as String } ?? "OSStatus \(status)"
    }

    /// The error, the operation, the status and what that means.
    public var description: String { "\(error) (\(operation.rawValue), \(status)): \(message)" }
}
