// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainClient
import KeychainModel

/// Why a call failed: the status, what is wrong, and what to do about it.
///
/// It is what ``KeychainControl`` throws, and what ``KeychainControl/lastFailure`` says of a call that answered with a
/// status. It has no secret, no attribute and no path in it.
public struct KeychainControlError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The status that a `SecItem` function answers with, an `OSStatus`.
    public let status: Int32
    /// What is wrong, which file is at fault, and what to do about it.
    public let description: String
    /// How long to wait before a passcode is tried again, in whole seconds; `nil` where waiting does not help.
    public let retryAfter: Duration?
    /// What is wrong.
    public let failureReason: String?
    /// What to do about it; `nil` where nothing general can be said.
    public let recoverySuggestion: String?

    /// The same as ``description``, which is what `localizedDescription` gives.
    public var errorDescription: String? { description }

    /// Whether more than the sentence of the status is known.
    package let isExplained: Bool
    /// Whether the store is at fault, and neither the call, the entitlements nor a variable of the environment.
    package let concernsStore: Bool
    /// Whether the unlock failed for other programs alone.
    package let isUnlockedForThisProcess: Bool
    /// Whether the access control needs hardware that is not there, so that nobody can have cancelled or failed.
    package let needsMissingSensor: Bool
    /// Whether there is no store yet.
    package let isMissingStore: Bool

    /// What is said where an access control needs a fingerprint, and there is no sensor for it.
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

    /// The error of a call that fails now, which becomes the last failure of the thread.
    init(recording error: StatusError) {
        FailureLog.record(error)
        self.init(error)
    }
}

extension KeychainControl {
    /// Why the last call that failed on this thread did: of the item API, of keys and files, or of this type.
    ///
    /// The functions of the item API answer with a number. Read this property right after one, on the same thread and
    /// before the next `await`: a call that succeeds leaves it as it is, so compare ``KeychainControlError/status`` with
    /// the status at hand. It never holds a secret or an attribute.
    ///
    /// With `KEYCHAIN_LOG=stderr` in the environment each failure is a line of standard error as well.
    public static var lastFailure: KeychainControlError? { FailureLog.last.map { KeychainControlError($0) } }
}
