// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import Dispatch
import KeychainClient
import Synchronization

/// The state shared by the dialog and the thread that waits for the sensor.
final class FingerprintVerification: Sendable {
    /// A message to the user about a finger that was not recognized.
    enum Hint: String {
        case notRecognized = "The finger was not recognized."
        case unreadable = "The finger could not be read."
    }

    private struct Content {
        var hints: [Hint] = []
        var outcome: Result<EnrolledFingers, FingerprintFailure>?
        var isStarted = false
        var isAbandoned = false
    }

    let settings: FingerprintSettings
    /// When the thread that waits for the sensor gives up; by default, a minute after the dialog's timeout.
    let deadline: Deadline
    private let content = Mutex(Content())
    private let end = DispatchSemaphore(value: 0)

    init(_ settings: FingerprintSettings, limit: Int) {
        self.settings = settings
        deadline = Deadline(milliseconds: limit) { .now }
    }

    var history: FingerprintHistory { settings.history }
    var outcome: Result<EnrolledFingers, FingerprintFailure>? { content.withLock { $0.outcome } }
    var isAbandoned: Bool { content.withLock { $0.isAbandoned } }
    /// The messages so far about fingers that were not recognized, oldest first.
    var hints: [Hint] { content.withLock { $0.hints } }

    func addHint(_ hint: Hint) { content.withLock { $0.hints.append(hint) } }

    /// Starts a thread that waits for a finger, unless an earlier call has started it.
    func start() {
        let isFirst = content.withLock { content in
            defer { content.isStarted = true }
            return !content.isStarted
        }
        guard isFirst else { return }
        SystemKeychain.detach { [self] in
            let result = Result { () throws(FingerprintFailure) in
                let sensor = try FingerprintSensor.find(settings) { self.isAbandoned }
                try sensor.recognize(for: self)
                return sensor.enrolled
            }
            content.withLock { $0.outcome = result }
            end.signal()
        }
    }

    /// Makes the thread stop waiting for a finger, and waits a limited time until it has released the sensor.
    func abandon() {
        let isStarted = content.withLock { content in
            content.isAbandoned = true
            return content.isStarted
        }
        guard isStarted else { return }
        // Allow enough time for the two calls that stop and release the sensor, and for the thread to reach them.
        _ = end.wait(timeout: .now() + .milliseconds(3 * settings.offLimit))
    }
}
#endif
