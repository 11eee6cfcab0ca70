// SPDX-License-Identifier: Apache-2.0

package import KeychainClient
package import KeychainModel
import Synchronization

/// The state of an `LAContext`, or of calls without one, shared with the threads that show prompts.
package final class ContextState: Sendable {
    package init() {}

    private struct Content {
        var authentication = Authentication.none
        var isInvalid = false
        var interactionNotAllowed = false
        var reason: String?
        var cancelTitle: String?
        var fallbackTitle: String?
        var reuseDuration = 0.0
        var finger = FingerState()
    }

    package struct FingerState {
        /// Whether there was a sensor when it was last queried.
        package var hasSensor = false
        /// The digest of the enrolled finger set; `nil` if unknown or if no finger is enrolled.
        package var enrolled: Bytes32?
        /// The digest of the enrolled finger set that contains the finger recognized for this context.
        ///
        /// It is `nil` if no finger was recognized for this context.
        package var recognized: Bytes32?
    }

    private let content = Mutex(Content())

    package var authentication: Authentication { authentication(isExamined: false) }

    /// The authentication results; none for an invalid context.
    ///
    /// `isExamined` means that the sensor was queried in the current keychain call, so its stored state is current.
    /// Only then do the results contain the digest of the enrolled fingers.
    package func authentication(isExamined: Bool) -> Authentication {
        content.withLock { content in
            guard !content.isInvalid else { return .none }
            let finger = content.finger
            return content.authentication.with(
                isExamined: isExamined && finger.hasSensor,
                enrolled: isExamined ? finger.enrolled : nil,
                recognized: finger.recognized
            )
        }
    }
    package var isInvalid: Bool { content.withLock { $0.isInvalid } }

    package var interactionNotAllowed: Bool {
        get { content.withLock { $0.interactionNotAllowed } }
        set { content.withLock { $0.interactionNotAllowed = newValue } }
    }

    package var reason: String? {
        get { content.withLock { $0.reason } }
        set { content.withLock { $0.reason = newValue } }
    }

    package var cancelTitle: String? {
        get { content.withLock { $0.cancelTitle } }
        set { content.withLock { $0.cancelTitle = newValue } }
    }

    package var fallbackTitle: String? {
        get { content.withLock { $0.fallbackTitle } }
        set { content.withLock { $0.fallbackTitle = newValue } }
    }

    package var reuseDuration: Double {
        get { content.withLock { $0.reuseDuration } }
        set { content.withLock { $0.reuseDuration = newValue } }
    }

    package var finger: FingerState { content.withLock { $0.finger } }

    /// Stores the sensor's state, except for recognized fingers.
    package func keep(hasSensor: Bool, enrolled: Bytes32?) {
        content.withLock { content in
            content.finger.hasSensor = hasSensor
            content.finger.enrolled = enrolled
        }
    }

    /// Stores that a finger of the set with this digest was recognized; returns false for an invalid context.
    package func keepRecognized(among enrolled: Bytes32) -> Bool {
        content.withLock { content in
            guard !content.isInvalid else { return false }
            content.finger = FingerState(hasSensor: true, enrolled: enrolled, recognized: enrolled)
            return true
        }
    }

    /// Changes the authentication results; returns whether the context is still valid.
    @discardableResult
    package func update(_ change: (Authentication) -> Authentication) -> Bool {
        content.withLock { content in
            guard !content.isInvalid else { return false }
            content.authentication = change(content.authentication)
            return true
        }
    }

    package func invalidate() {
        content.withLock { content in
            content.isInvalid = true
            content.authentication = .none
            content.finger.recognized = nil
        }
    }
}
