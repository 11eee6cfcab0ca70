// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a call of a vault failed: the reason, the status behind it, and what to do.
///
/// It holds no secret, no key and no other value of an attribute, so that it can be logged.
public struct VaultError: LocalizedError, Hashable, Sendable {
    /// What the vault was doing.
    public enum Operation: String, Hashable, Sendable {
        case read, add, set, update, remove, list, transaction, authenticate, migrate
    }

    /// The kind of failure.
    public let reason: Reason
    /// What the vault was doing.
    public let operation: Operation
    /// The `OSStatus` behind it, as `SecItemCopyMatching` and its like return it; 0 where no such call was made.
    public let status: Int32
    /// What is wrong.
    public let problem: String
    /// What to do about it; `nil` where no general advice is known.
    public let advice: String?

    /// Makes the error of a reason, for example for a test double.
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

    /// Whether the same call can succeed later, with neither the program nor the store changed.
    public var isTransient: Bool {
        switch reason {
        case .locked, .busy, .conflict, .diskFull, .tooManyAttempts: true
        default: false
        }
    }

    /// The problem and the advice, which `localizedDescription` returns.
    public var errorDescription: String? { advice.map { "\(problem); \($0)" } ?? problem }

    /// What is wrong.
    public var failureReason: String? { problem }

    /// What to do about it.
    public var recoverySuggestion: String? { advice }
}

extension VaultError: CustomStringConvertible {
    /// The operation, the reason, the status, the problem and the advice.
    public var description: String {
        let text = advice.map { "\(problem); \($0)" } ?? problem
        return "\(operation.rawValue) failed: \(reason) (\(status)): \(text)"
    }
}
