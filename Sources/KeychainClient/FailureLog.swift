// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// The last failure of each thread, and the lines that `KEYCHAIN_LOG` asks for.
///
/// The calls of the API answer with a number; what is recorded here says why. It holds no secret and no attribute,
/// because a `StatusError` has no place for one.
package enum FailureLog {
    private final class Slot {
        var error: StatusError?
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let result = unsafe pthread_key_create(&key) { slot in
            if let slot = unsafe slot { unsafe Unmanaged<Slot>.fromOpaque(slot).release() }
        }
        return result == 0 ? key : nil
    }()

    /// Whether each failure is a line of standard error; decided once in a process.
    private static let writesToStandardError = Environment["KEYCHAIN_LOG"] == "stderr"

    /// The failure that a call of this thread met last; a call that succeeds leaves it.
    package static var last: StatusError? {
        guard let key, let slot = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<Slot>.fromOpaque(slot).takeUnretainedValue().error
    }

    /// Records what a call of the API is about to answer with.
    package static func record(_ error: StatusError) {
        slot?.error = error
        if writesToStandardError { write(line(of: error)) }
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

    /// The status with its name, and the sentence.
    private static func line(of error: StatusError) -> String {
        let name = error.status.rule?.symbol ?? "OSStatus"
        return "keychain[\(getpid())]: \(name) (\(error.status.rawValue)): \(error.explanation.sentence)\n"
    }

    /// Writes a line with one call, so that those of several threads do not mix.
    private static func write(_ line: String) {
        let bytes = Array(line.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
