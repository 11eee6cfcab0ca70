// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// A blocked request for a `flock`, which a separate thread makes.
///
/// The thread cannot be interrupted. An abandoned request stays in the kernel's queue, and releases the lock
/// as soon as it is granted. Until then, a later call may reuse the request and its position in the queue.
final class LockRequest: Sendable {
    enum Outcome: Hashable, Sendable {
        case blocked, granted
        case failed(CInt)
    }

    private enum Phase: Hashable, Sendable {
        /// There is no thread.
        case idle
        /// A thread is blocked in the kernel's queue; `isWanted` is false once the request was abandoned.
        case queued(isWanted: Bool)
        case done(Outcome)
    }

    private struct State: ~Copyable, Sendable {
        var phase = Phase.idle
        /// One end of a socket pair, on which `poll` waits: the thread closes the other end when it ends.
        var end = FileDescriptor(-1)
    }

    private let state = ForkSafeMutex(State())

    var isQueued: Bool {
        state.withLock { state in
            if case .queued = state.phase { true } else { false }
        }
    }

    /// Starts the thread that waits for the lock; reuses an abandoned request that the kernel still queues.
    ///
    /// - Returns: 0, or an `errno` value if the thread, or a descriptor for it, cannot be created.
    func start(on file: borrowing FileDescriptor) -> CInt {
        state.withLock { state in
            if case .queued = state.phase {
                state.phase = .queued(isWanted: true)
                return 0
            }
            let copy = fcntl(file.number, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { return errno }
            var ends: [CInt] = [-1, -1]
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
                let error = errno
                close(copy)
                return error
            }
            state.end = FileDescriptor(ends[0])
            let error = LockThread(request: self, file: copy, end: FileDescriptor(ends[1])).start()
            if error == 0 { state.phase = .queued(isWanted: true) }
            return error
        }
    }

    /// Returns the outcome of the request, after waiting for at most this number of milliseconds.
    func outcome(within milliseconds: Int64) -> Outcome {
        var wait = pollfd(fd: state.withLock { $0.end.number }, events: Int16(POLLIN), revents: 0)
        let deadline = CoarseClock.now + milliseconds
        var rest = milliseconds
        while unsafe poll(&wait, 1, CInt(clamping: rest)) < 0, rest > 0 {
            rest = max(0, deadline - CoarseClock.now)
        }
        return state.withLock { state in
            guard case .done(let outcome) = state.phase else { return .blocked }
            state.phase = .idle
            return outcome
        }
    }

    /// Abandons the request; returns false if the lock was granted in the meantime and is now held.
    func abandon() -> Bool {
        state.withLock { state in
            switch state.phase {
            case .done(.granted):
                state.phase = .idle
                return false
            case .queued: state.phase = .queued(isWanted: false)
            case .idle, .done: state.phase = .idle
            }
            return true
        }
    }

    /// Records the result of the thread's `flock` call; releases the lock if the request was abandoned.
    fileprivate func finish(_ error: CInt, _ file: borrowing FileDescriptor) {
        state.withLock { state in
            if case .queued(isWanted: true) = state.phase {
                state.phase = .done(error == 0 ? .granted : .failed(error))
            } else {
                _ = flock(file.number, LOCK_UN)
                state.phase = .idle
            }
        }
    }
}

/// The request and the files of a thread that calls `flock`; the files are closed when the thread ends.
private final class LockThread: Sendable {
    private let request: LockRequest
    private let file: FileDescriptor
    private let end: FileDescriptor

    init(request: LockRequest, file: CInt, end: consuming FileDescriptor) {
        self.request = request
        self.file = FileDescriptor(file)
        self.end = end
    }

    /// Starts the thread and returns 0 or an `errno` value.
    ///
    /// The thread blocks all signals, because a handler would interrupt the request, which would lose its
    /// position in the queue.
    func start() -> CInt {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer {
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
            unsafe pthread_attr_destroy(&attributes)
        }
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(self)
        let error = unsafe pthread_create(
            &thread,
            &attributes,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<LockThread>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            },
            argument.toOpaque()
        )
        if error != 0 { unsafe argument.release() }
        return error
    }

    private static let stackSize = 256 * 1_024

    private func run() {
        var error: CInt = 0
        repeat {
            error = flock(file.number, LOCK_EX) == 0 ? 0 : errno
        } while error == EINTR
        request.finish(error, file)
    }
}
