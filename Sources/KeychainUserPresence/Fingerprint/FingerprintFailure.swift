// SPDX-License-Identifier: Apache-2.0

/// Why no finger was recognized.
package enum FingerprintFailure: Error, Hashable, Sendable {
    /// There is no sensor, or none that this program may use: no bus, no service, no device, no permission.
    case unavailable
    /// No finger of the user is enrolled.
    case notEnrolled
    /// Too many fingers in a row were not recognized.
    case lockedOut
    /// Another program is using the sensor.
    case busy
    /// The fingers of one prompt were not recognized.
    case notRecognized
    /// The user wants to authenticate another way.
    case fallback
    /// The user cancelled the prompt.
    case cancelled
    /// The sensor was not touched in time.
    case timedOut
    /// No prompt can tell the user which program asks.
    case cannotPrompt
}

extension FingerprintFailure {
    /// What the dialog has come to.
    init(_ failure: PinentryFailure) {
        self =
            switch failure {
            case .cancelled, .stopped: .cancelled
            case .timedOut: .timedOut
            case .unavailable, .forbidden, .noTerminal, .noProgram: .cannotPrompt
            }
    }
}

/// Who can be recognized, and by what.
package struct EnrolledFingers: Hashable, Sendable {
    /// What the sensor calls itself.
    package let sensor: String
    /// The numerical identifier of the user.
    package let user: UInt32
    /// The names of the fingers in order, as `right-index-finger`; none, where nobody is enrolled.
    package let fingers: [String]
}
