// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainStore

/// Communicates with systemd; does nothing without systemd.
package enum ServiceManager {
    private static let firstDescriptor: CInt = 3

    /// The listening socket that systemd passed; `nil` unless it is the only descriptor passed to this process.
    package static func passedListener() -> CInt? {
        guard let process = unsafe getenv("LISTEN_PID"), unsafe atoi(process) == getpid(),
            let count = unsafe getenv("LISTEN_FDS"), unsafe atoi(count) == 1,
            clinux_is_listening(firstDescriptor) != 0, clinux_pass_credentials(firstDescriptor) == 0
        else { return nil }
        _ = fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(firstDescriptor, F_SETFL, O_NONBLOCK)
        return firstDescriptor
    }

    /// Returns the names of the credentials in systemd's credentials directory.
    package static func credentials(in path: String) -> [String] {
        let directory = Descriptor(unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        return directory.number >= 0 ? PrivateDirectory.names(in: directory.number).sorted() : []
    }

    /// Sends systemd a state such as `READY=1`.
    package static func notify(_ state: String) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        _ = unsafe clinux_notify(path, state)
    }
}
