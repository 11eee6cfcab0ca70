// SPDX-License-Identifier: Apache-2.0

package import KeychainClient
package import KeychainModel
import Synchronization

/// What a context knows, shared with the threads that ask on its behalf.
package final class ContextState: Sendable {
    /// Makes a state in which nothing is proved or supplied.
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

    /// What is known of the sensor.
    package struct FingerState {
        /// Whether there is one; looked up with a policy.
        package var hasSensor = false
        /// The digest of the fingers that it can recognize.
        package var enrolled: Bytes32?
        /// The digest of those of which it has recognized one for this context.
        package var recognized: Bytes32?
    }

    private let content = Mutex(Content())

    /// What is proved or supplied.
    package var authentication: Authentication { authentication(isExamined: false) }

    /// The same, together with the fingers that are enrolled if the sensor was just asked for them.
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

    /// Keeps what was found out about the sensor; whether a finger was recognized is not part of that.
    package func keep(hasSensor: Bool, enrolled: Bytes32?) {
        content.withLock { content in
            content.finger.hasSensor = hasSensor
            content.finger.enrolled = enrolled
        }
    }

    /// Keeps that one of these fingers was recognized, unless the context has become invalid; answers whether it is kept.
    package func keepRecognized(among enrolled: Bytes32) -> Bool {
        content.withLock { content in
            guard !content.isInvalid else { return false }
            content.finger = FingerState(hasSensor: true, enrolled: enrolled, recognized: enrolled)
            return true
        }
    }

    /// Changes what is proved or supplied, and says whether the context is still valid.
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
