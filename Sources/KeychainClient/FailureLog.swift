// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// Records the last failure of each thread, and logs failures if `KEYCHAIN_LOG` is set.
///
/// The functions of the API return only a status code; the recorded error also contains the cause. It
/// contains no secret and no attribute value, because a `StatusError` has none.
package enum FailureLog {
    private final class Slot {
        var error: StatusError?
        var isPaused = false
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let result = unsafe pthread_key_create(&key) { slot in
            if let slot = unsafe slot { unsafe Unmanaged<Slot>.fromOpaque(slot).release() }
        }
        return result == 0 ? key : nil
    }()

    /// Whether each failure is logged to standard error; determined once per process.
    private static let writesToStandardError = Environment["KEYCHAIN_LOG"] == "stderr"

    /// The error of the last failed call on this thread; `nil` before the first failure.
    ///
    /// A successful call does not clear the error.
    package static var last: StatusError? {
        guard let key, let slot = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<Slot>.fromOpaque(slot).takeUnretainedValue().error
    }

    /// Records the error that a call of the API is about to return.
    package static func record(_ error: StatusError) {
        let slot = slot
        guard slot?.isPaused != true else { return }
        slot?.error = error
        if writesToStandardError { write(line(of: error)) }
    }

    /// Calls `body` without recording failures on this thread.
    static func withoutRecording<Result>(_ body: () -> Result) -> Result {
        let slot = slot
        slot?.isPaused = true
        defer { slot?.isPaused = false }
        return body()
    }

    private static var slot: Slot? {
        guard let key else { return nil }
        if let slot = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<Slot>.fromOpaque(slot).takeUnretainedValue()
        }
        let slot = Slot()
        let retained = unsafe Unmanaged.passRetained(slot)
        guard unsafe pthread_setspecific(key, retained.toOpaque()) == 0 else {
            unsafe retained.release()
            return nil
        }
        return slot
    }

    /// Returns a log line: the status, its name and the explanation.
    private static func line(of error: StatusError) -> String {
        let name = error.status.rule?.symbol ?? "OSStatus"
        return "keychain[\(getpid())]: \(name) (\(error.status.rawValue)): \(error.explanation.sentence)\n"
    }

    /// Writes a line with one system call, so that lines of several threads do not mix.
    private static func write(_ line: String) {
        let bytes = Array(line.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
