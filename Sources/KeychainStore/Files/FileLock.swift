// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// An exclusive `flock` on a file, for which processes queue in the kernel.
///
/// The kernel keeps blocked requests in the order of their arrival, removes those of processes that end or are stopped,
/// and wakes one at a time. A blocked `flock` has no timeout, so a thread makes the request.
/// While it waits, the process holds a shared record lock on one byte of the file. A process that finds the lock free
/// and that byte locked came between a release and the next in the queue, and gives way.
struct FileLock: ~Copyable {
    let file: FileDescriptor
    private let name: StoreFile
    private let request = LockRequest()

    init(_ file: consuming FileDescriptor, _ name: StoreFile) {
        self.file = file
        self.name = name
    }

    deinit { _ = request.abandon() }

    /// Takes the lock, waiting in the queue.
    ///
    /// - Parameters:
    ///   - deadline: The longest wait in milliseconds, counted anew whenever `progress` has changed.
    ///   - progress: A number that changes when the processes ahead in the queue do their work.
    /// - Throws: `notAvailable` with `writerBusy` when the lock was not granted in time.
    borrowing func acquire(
        deadline: Int64,
        progress: (borrowing FileDescriptor) -> UInt64 = { _ in 0 }
    ) throws(StatusError) {
        if !request.isQueued, acquireUnlessQueued() { return }
        setWaitingMark(F_RDLCK)
        defer { setWaitingMark(F_UNLCK) }
        guard request.start(on: file) else { throw systemError(name.rawValue) }
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

    /// Takes the lock if it is free and no process is in the queue, and says whether.
    borrowing func acquireIfFree() -> Bool {
        guard !request.isQueued, flock(file.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        guard hasQueue else { return true }
        release()
        return false
    }

    borrowing func release() { _ = flock(file.number, LOCK_UN) }

    /// Gives way to a queue for a millisecond; after that, those who wait are stopped.
    private borrowing func acquireUnlessQueued() -> Bool {
        for _ in 0..<Self.courtesies {
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { return false }
            guard hasQueue else { return true }
            release()
            usleep(Self.courtesy)
        }
        return flock(file.number, LOCK_EX | LOCK_NB) == 0
    }

    private static let courtesies = 10
    /// In microseconds: what a process needs to wake up.
    private static let courtesy: UInt32 = 100

    /// The byte that those who wait lock; it need not exist.
    private static let waitingMark: off_t = 1 << 32

    private static func mark(_ type: CInt) -> Glibc.flock {
        var mark = Glibc.flock()
        mark.l_type = Int16(type)
        mark.l_whence = Int16(SEEK_SET)
        mark.l_start = waitingMark
        mark.l_len = 1
        return mark
    }

    /// Open file description locks: they belong to this value, not to the process.
    private borrowing func setWaitingMark(_ type: CInt) {
        var mark = Self.mark(type)
        // Without the mark the queue is merely less fair.
        _ = unsafe fcntl(file.number, CInt(clinux_set_lock), &mark)
    }

    private var hasQueue: Bool {
        var mark = Self.mark(F_WRLCK)
        return unsafe fcntl(file.number, CInt(clinux_get_lock), &mark) == 0
            && CInt(mark.l_type) != F_UNLCK
    }
}
