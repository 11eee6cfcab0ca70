// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// A running program that prompts the user, as a child of this process.
///
/// A pidfd identifies the program. Another part of this process may reap it, and its process ID may then belong to
/// another process, which must get no signal. Kernels before Linux 5.4 cannot reap a process by its pidfd, so there the
/// process ID is used.
struct PromptProcess: ~Copyable {
    enum Status: Hashable, Sendable {
        case running
        /// The program has ended, with this status of `waitpid`.
        case ended(CInt)
        /// Another part of this process has reaped the program.
        case lost
    }

    let number: pid_t
    private let descriptor: CInt

    init(_ number: pid_t) {
        self.number = number
        descriptor = clinux_pidfd_open(number)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reaps the program if it has ended.
    func status() -> Status {
        var status: CInt = 0
        while true {
            var result = unsafe clinux_pidfd_reap(descriptor, &status)
            if result < 0, errno == EBADF || errno == EINVAL {
                result = unsafe waitpid(number, &status, WNOHANG)
            }
            if result > 0 { return .ended(status) }
            if result == 0 { return .running }
            if errno != EINTR { return .lost }
        }
    }

    func signal(_ signal: CInt) {
        if descriptor >= 0 {
            _ = clinux_pidfd_signal(descriptor, signal)
        } else {
            kill(number, signal)
        }
    }

    /// Waits until the program has ended, or for some milliseconds.
    func wait(milliseconds: CInt) {
        var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&file, 1, milliseconds)
    }

    /// Sends the program a signal every 10 ms, if one is given, and kills the program if it has not ended after `count`
    /// times 10 ms.
    func end(by signal: CInt?, count: Int) {
        for _ in 0..<count {
            guard case .running = status() else { return }
            if let signal { self.signal(signal) }
            wait(milliseconds: 10)
        }
        self.signal(SIGKILL)
        while case .running = status() { wait(milliseconds: 1_000) }
    }
}
