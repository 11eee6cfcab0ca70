// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// An exclusive `flock` with a queue of waiting processes in the kernel.
///
/// The kernel keeps blocked requests in order of arrival, removes those of processes that end or are
/// suspended (SIGSTOP), and wakes one process at a time. A blocked `flock` has no timeout, so a separate
/// thread makes the request.
///
/// A waiting process holds a shared record lock on one byte of the file. If the `flock` is free but that byte
/// is locked, the next waiter has been woken but has not run yet. A new caller then gives up the `flock` and
/// retries for up to a millisecond.
struct FileLock: ~Copyable, Sendable {
    let file: FileDescriptor
    private let name: StoreFile
    private let request = LockRequest()

    init(_ file: consuming FileDescriptor, _ name: StoreFile) {
        self.file = file
        self.name = name
    }

    deinit { _ = request.abandon() }

    /// Acquires the lock, waiting in the kernel's queue.
    ///
    /// - Parameters:
    ///   - deadline: The longest wait in milliseconds. It starts again whenever the number that `progress`
    ///     returns has changed.
    ///   - progress: Returns a number that changes whenever a process ahead in the queue commits a write.
    /// - Throws: `notAvailable` with `writerBusy` when the lock was not granted in time; the error of the system if
    ///   the `flock` fails or the thread cannot be created.
    borrowing func acquire(
        deadline: @autoclosure () -> Int64,
        progress: (borrowing FileDescriptor) -> UInt64 = { _ in 0 }
    ) throws(StatusError) {
        if !request.isQueued, acquireUnlessQueued() { return }
        setWaitingMark(F_RDLCK)
        defer { setWaitingMark(F_UNLCK) }
        let error = request.start(on: file)
        guard error == 0 else {
            errno = error
            throw systemError(name.rawValue)
        }
        let deadline = deadline()
        var seen = progress(file)
        while true {
            switch request.outcome(within: deadline) {
            case .granted: return
            case .failed(let code):
                errno = code
                throw systemError(name.rawValue)
            case .blocked: break
            }
            let now = progress(file)
            if now == seen, request.abandon() {
                throw StatusError(.notAvailable, .writerBusy, file: name)
            }
            seen = now
        }
    }

    /// Acquires the lock if it is free and no process is waiting; returns whether it was acquired.
    borrowing func acquireIfFree() -> Bool {
        guard !request.isQueued, flock(file.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        guard hasQueue else { return true }
        release()
        return false
    }

    borrowing func release() { _ = flock(file.number, LOCK_UN) }

    /// Acquires the lock if it is free; returns whether it was acquired.
    ///
    /// If a process is waiting, this call gives up the lock and retries for up to a millisecond. If the waiting
    /// process has not run by then, it is assumed to be suspended (SIGSTOP).
    private borrowing func acquireUnlessQueued() -> Bool {
        for _ in 0..<Self.yieldCount {
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { return false }
            guard hasQueue else { return true }
            release()
            usleep(Self.yieldTime)
        }
        return flock(file.number, LOCK_EX | LOCK_NB) == 0
    }

    private static let yieldCount = 10
    /// The pause between two attempts in microseconds, in which a woken process can run.
    private static let yieldTime: UInt32 = 100

    /// The offset of the byte on which waiting processes hold a record lock, past the end of the file.
    private static let waitingMark: off_t = 1 << 32

    private static func mark(_ type: CInt) -> Glibc.flock {
        var mark = Glibc.flock()
        mark.l_type = Int16(type)
        mark.l_whence = Int16(SEEK_SET)
        mark.l_start = waitingMark
        mark.l_len = 1
        return mark
    }

    /// Sets or removes the record lock that shows other processes that this one is waiting.
    ///
    /// It is an open file description lock, so it belongs to the open file and not to the process.
    private borrowing func setWaitingMark(_ type: CInt) {
        var mark = Self.mark(type)
        // If this record lock fails, the queue still works, but is less fair.
        _ = unsafe fcntl(file.number, CInt(clinux_set_lock), &mark)
    }

    private var hasQueue: Bool {
        var mark = Self.mark(F_WRLCK)
        return unsafe fcntl(file.number, CInt(clinux_get_lock), &mark) == 0
            && CInt(mark.l_type) != F_UNLCK
    }
}
