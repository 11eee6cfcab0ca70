// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import KeychainClient
import KeychainModel

/// The error of a keychain call: its status, the problem, and how to fix it.
///
/// The functions of ``KeychainControl`` throw this error, and ``KeychainControl/lastFailure`` returns it. It
/// contains no secret, attribute value or path.
public struct KeychainControlError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The `OSStatus` that a `SecItem` function returns for this error.
    public let status: Int32
    /// Sentences for the user: the problem, with the name of the file at fault, and how to fix it.
    public let description: String
    /// How long to wait before trying a passcode again, in whole seconds; `nil` unless too many were wrong.
    public let retryAfter: Duration?
    /// The part of ``description`` that states the problem.
    public let failureReason: String?
    /// The part of ``description`` that says how to fix the problem; `nil` if there is no general advice.
    public let recoverySuggestion: String?

    /// The same as ``description``; `localizedDescription` returns it.
    public var errorDescription: String? { description }

    /// Whether the error has a known cause and not only a status.
    package let isExplained: Bool
    /// Whether the store is at fault, rather than the call, the entitlements or the environment.
    package let concernsStore: Bool
    /// Whether the keychain was unlocked, but for this process only.
    package let isUnlockedForThisProcess: Bool
    /// Whether the access control requires a fingerprint, but no sensor has an enrolled finger of the user.
    package let needsMissingSensor: Bool
    package let isMissingStore: Bool

    package static let missingSensor = Self(StatusError(.authenticationFailed, .constraintUnsatisfiable))

    init(_ error: StatusError) {
        let explanation = error.explanation
        status = error.status.rawValue
        description = explanation.sentence
        failureReason = explanation.problem
        recoverySuggestion = explanation.remedy
        isExplained = error.reason != nil
        concernsStore = error.reason?.concernsStore == true
        isUnlockedForThisProcess = error.reason == .keyCacheUnavailable
        needsMissingSensor = error.reason == .constraintUnsatisfiable
        isMissingStore = error.reason == .storeMissing
        retryAfter =
            error.reason == .tooManyGuesses ? error.code.map { .seconds(Int64($0)) } : nil
    }

    /// Creates the error of a failing call, and records it as the last failure of the thread.
    init(recording error: StatusError) {
        FailureLog.record(error)
        self.init(error)
    }
}

extension KeychainControl {
    /// The cause of the last failure on this thread.
    ///
    /// The `SecItem` and `SecKey` functions, import and export, this type and `Vault` record their failures. Trust
    /// evaluations are recorded if they cannot be carried out. A vault does not record that an item was not found.
    ///
    /// `SecItem` functions return only a status; read this property directly after the call, on the same thread and
    /// before the next `await`. A successful call does not clear it, so compare ``KeychainControlError/status`` with
    /// the returned status. The value contains no secret or attribute value.
    ///
    /// With `KEYCHAIN_LOG=stderr` in the environment, each failure is also written to standard error.
    public static var lastFailure: KeychainControlError? { FailureLog.last.map { KeychainControlError($0) } }
}
