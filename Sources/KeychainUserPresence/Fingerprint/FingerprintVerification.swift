// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import Dispatch
import KeychainClient
import Synchronization

/// What the sensor and the dialog tell each other, while a thread of its own waits for the sensor.
final class FingerprintVerification: Sendable {
    /// What the person reads about the finger before.
    enum Complaint: String {
        case notRecognized = "The finger was not recognized."
        case unreadable = "The finger could not be read."
    }

    private struct Content {
        var complaints: [Complaint] = []
        var outcome: Result<EnrolledFingers, FingerprintFailure>?
        var isStarted = false
        var isAbandoned = false
    }

    let settings: FingerprintSettings
    /// When fingers are waited for no longer, however many have come; the dialog ends before.
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
    /// Of the fingers so far.
    var complaints: [Complaint] { content.withLock { $0.complaints } }

    func complain(_ complaint: Complaint) { content.withLock { $0.complaints.append(complaint) } }

    /// Has a thread wait for a finger, unless one does.
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

    /// Waits for no more fingers: the sensor is free for others then.
    func abandon() {
        let isStarted = content.withLock { content in
            content.isAbandoned = true
            return content.isStarted
        }
        guard isStarted else { return }
        // Both steps of switching it off, and one more for the thread to get there.
        _ = end.wait(timeout: .now() + .milliseconds(3 * settings.offLimit))
    }
}
#endif
