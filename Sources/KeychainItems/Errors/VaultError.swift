// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The reason, status and advice for a failed vault call.
///
/// An error contains no secret, no key and no other attribute value, so it can be logged.
public struct VaultError: LocalizedError, Hashable, Sendable {
    /// The operation that failed.
    public enum Operation: String, Hashable, Sendable {
        case read, add, set, update, remove, list, transaction, authenticate, migrate
    }

    /// The reason for the failure.
    public let reason: Reason
    /// The operation that failed.
    public let operation: Operation
    /// The `OSStatus` that a `SecItem` function returns for this failure; 0 if the keychain reported none.
    public let status: Int32
    /// A description of the problem.
    public let problem: String
    /// A suggested solution; `nil` if there is no general advice.
    public let advice: String?

    /// Creates an error, for example for a test double.
    ///
    /// - Parameters:
    ///   - reason: The reason for the failure.
    ///   - operation: The operation that failed.
    ///   - status: The underlying `OSStatus`.
    public init(_ reason: Reason, _ operation: Operation, status: Int32 = 0) {
        self.init(reason, operation, status: status, reason.explanation)
    }

    package init(_ error: StatusError, _ operation: Operation, until event: UnlockEvent = .unlock) {
        let reason = Reason(error, until: event)
        let explanation =
            error.reason == nil && reason != .other ? reason.explanation : error.explanation
        self.init(reason, operation, status: error.status.rawValue, explanation)
    }

    private init(_ reason: Reason, _ operation: Operation, status: Int32, _ explanation: Explanation) {
        self.reason = reason
        self.operation = operation
        self.status = status
        problem = explanation.problem
        advice = explanation.remedy
    }

    /// Whether retrying the same call later can succeed.
    ///
    /// This is true if the cause, such as a locked keychain, can disappear without a change of the program or
    /// the store.
    public var isTransient: Bool {
        switch reason {
        case .locked, .busy, .conflict, .diskFull, .tooManyAttempts: true
        default: false
        }
    }

    /// The problem and the advice, used by `localizedDescription`.
    public var errorDescription: String? { advice.map { "\(problem); \($0)" } ?? problem }

    /// A description of the problem.
    public var failureReason: String? { problem }

    /// The suggested solution.
    public var recoverySuggestion: String? { advice }
}

extension VaultError: CustomStringConvertible {
    /// The operation, the reason, the status, the problem and the advice.
    public var description: String {
        let text = advice.map { "\(problem); \($0)" } ?? problem
        return "\(operation.rawValue) failed: \(reason) (\(status)): \(text)"
    }
}
