// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Why a call of ``KeychainControl`` failed.
public struct KeychainControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status that a `SecItem` function would answer with, an `OSStatus`.
    public let status: Int32
    /// What went wrong, which file is at fault and what to do about it: for people, without a passcode or a path in it.
    public let description: String
    /// How long to wait before a passcode is tried again, in whole seconds; `nil` where waiting does not help.
    public let retryAfter: Duration?
    /// Whether the store is at fault, and neither the entitlements nor a variable of the environment.
    package let concernsStore: Bool
    /// Whether the unlock failed for other programs alone.
    package let isUnlockedForThisProcess: Bool

    init(_ error: StatusError) {
        status = error.status.rawValue
        concernsStore = ![.malformedEntitlements, .backendUnavailable].contains(error.reason)
        isUnlockedForThisProcess = error.reason == .keyCacheUnavailable
        if error.reason == .tooManyGuesses, let seconds = error.code {
            retryAfter = .seconds(Int64(seconds))
            description = "the passcode was wrong too often; the next attempt is allowed in \(seconds) s"
            return
        }
        retryAfter = nil
        description = error.explanation
    }
}
