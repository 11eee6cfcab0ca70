// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
package import Foundation
import Glibc
import KeychainClient
package import KeychainModel

/// A `securityd` process that serves the store of one temporary keychain.
///
/// If the environment variable `KEYCHAIN_TEST_DAEMON` has the path of `securityd`, tests use such a process: the user
/// service or, if `KEYCHAIN_TEST_SERVICE` is `system`, the system service, which only root can start.
package final class StoreDaemon: Sendable {
    /// The path of `securityd`; `nil` if the test process opens the stores itself.
    package static let program = ProcessInfo.processInfo.environment["KEYCHAIN_TEST_DAEMON"]
        .flatMap { $0.isEmpty ? nil : $0 }
    /// Whether the tests use the system service.
    ///
    /// The store's files then belong to another user, and the service identifies the test process by its executable. So
    /// the access groups that a test claims have no effect.
    package static let isOfSystem =
        ProcessInfo.processInfo.environment["KEYCHAIN_TEST_SERVICE"] == "system"
    /// The ID of the user that the system service runs as; the system needs no account with this ID.
    private static let serviceUser = 64_001
    /// The seconds without connections after which the daemon exits, in case the test process has crashed.
    private static let idleExit = 300

    private let process: pid_t
    /// The directory of the socket, and of unlocked keys where the kernel keyring cannot be used.
    let runtimeDirectory: URL

    package var socket: String { runtimeDirectory.path + "/keychain/socket" }

    /// Starts the daemon for a store with a new runtime directory, and waits until it is ready.
    convenience init(serving store: URL) throws(StatusError) {
        // The path of a socket is limited to 107 bytes, and the store's path can be longer.
        let directory = FileManager.default.temporaryDirectory
            .appending(component: "daemon-\(UUID().uuidString.prefix(8))")
        // The system service must be able to enter its directory.
        guard unsafe mkdir(directory.path, 0o700) == 0 else { throw Self.failure }
        if Self.isOfSystem { unsafe chmod(directory.path, 0o711) }
        try self.init(serving: store, runtimeDirectory: directory)
    }

    package init(serving store: URL, runtimeDirectory: URL) throws(StatusError) {
        guard let program = Self.program else { throw StatusError(.notAvailable, .backendUnavailable) }
        self.runtimeDirectory = runtimeDirectory
        process = try Self.start(
            program,
            Self.arguments(runtimeDirectory.path) + ["--idle-exit", "\(Self.idleExit)"],
            ["XDG_RUNTIME_DIR=\(runtimeDirectory.path)", "KEYCHAIN_HOME=\(store.path)"]
        )
    }

    private static func arguments(_ directory: String) -> [String] {
        guard isOfSystem else { return ["--user", "--audit", directory + "/audit"] }
        return [
            "--system", "--as", "\(serviceUser):\(serviceUser)", "--socket", directory + "/keychain/socket",
            "--state", directory + "/state", "--teams", directory + "/teams",
            "--programs", directory + "/programs",
        ]
    }

    /// The directory of the system service's files.
    package var state: URL { runtimeDirectory.appending(component: "state") }

    /// Returns a connection for a caller; only the user service accepts the access groups that the caller claims.
    func client(for caller: Caller) -> DaemonKeychain {
        DaemonKeychain(at: .ofUser(runtimeDirectory: runtimeDirectory.path), claim: caller)
    }

    /// Ends the daemon, and removes the runtime directory.
    package func end() {
        kill(process, SIGKILL)
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        try? FileManager.default.removeItem(at: runtimeDirectory)
    }

    private static var failure: StatusError { StatusError(.notAvailable, .systemCall, code: errno) }

    /// Starts the program, and returns its process ID when it has printed its first line.
    private static func start(
        _ program: String,
        _ arguments: [String],
        _ environment: [String]
    ) throws(StatusError) -> pid_t {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw failure }
        defer { close(ends[0]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        unsafe _ = clinux_spawn_close_from(&actions, STDERR_FILENO + 1)
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, program, &actions, nil, &words, &variables)
        close(ends[1])
        guard code == 0 else { throw StatusError(.notAvailable, .systemCall, code: code) }
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(ends[0], &byte, 1)
            if count == 1, byte == UInt8(ascii: "\n") { return process }
            guard count == 1 || (count < 0 && errno == EINTR) else {
                throw StatusError(.notAvailable, .daemonUnreachable)
            }
        }
    }
}
