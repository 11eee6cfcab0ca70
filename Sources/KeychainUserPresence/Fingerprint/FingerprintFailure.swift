// SPDX-License-Identifier: Apache-2.0

package enum FingerprintFailure: Error, Hashable, Sendable {
    /// The sensor cannot be used: there is no bus, service, device or permission, or a call failed or timed out.
    case unavailable
    case notEnrolled
    /// Too many fingers in a row were not recognized.
    case lockedOut
    /// Another program is using the sensor.
    case busy
    /// No finger was recognized in this prompt.
    case notRecognized
    /// The user chose to authenticate another way.
    case fallback
    /// The user or the program cancelled the prompt.
    case cancelled
    /// No finger was recognized, and the dialog was not answered, within the time limit.
    case timedOut
    /// No dialog can show the user which program is asking.
    case cannotPrompt
}

extension FingerprintFailure {
    init(_ failure: PinentryFailure) {
        self =
            switch failure {
            case .cancelled, .stopped: .cancelled
            case .timedOut: .timedOut
            case .unavailable, .forbidden, .noTerminal, .noProgram: .cannotPrompt
            }
    }
}

/// The sensor, the user and the user's enrolled fingers.
package struct EnrolledFingers: Hashable, Sendable {
    package let sensor: String
    /// The user ID.
    package let user: UInt32
    /// The names of the enrolled fingers, sorted, such as `right-index-finger`.
    package let fingers: [String]
}
