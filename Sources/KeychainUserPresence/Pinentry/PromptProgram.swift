// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

enum PromptProgram {
    /// How many times to try to start a program file that is open for writing.
    private static let attempts = 25

    /// Starts a program without inherited files other than the standard streams; `nil` if it cannot be started.
    ///
    /// With a socket, the program gets it as standard input and output, and no standard error. Without `environment`,
    /// it gets the environment of this process.
    static func start(
        _ program: String,
        _ arguments: [String],
        on socket: CInt? = nil,
        environment: [String]? = nil
    ) -> PromptProcess? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if let socket {
            unsafe posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO)
            unsafe posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO)
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        unsafe clinux_spawn_close_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes)
        var words = unsafe copies([program] + arguments)
        var variables = unsafe copies(environment ?? [])
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        for _ in 0..<attempts {
            let result =
                if environment == nil {
                    unsafe posix_spawnp(&process, program, &actions, &attributes, &words, environ)
                } else {
                    unsafe posix_spawnp(&process, program, &actions, &attributes, &words, &variables)
                }
            switch result {
            case 0: return PromptProcess(process)
            // A process, such as a child of this one, has the program file open for writing.
            case ETXTBSY: usleep(10_000)
            default: return nil
            }
        }
        return nil
    }

    /// Makes the program start with no signal blocked or ignored, and without the rights of a set-group-ID program.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        // With RESETIDS, the program runs with this process's real group, not with the group of a set-group-ID program.
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_RESETIDS
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Returns C strings that the caller frees, and a null pointer after them.
    private static func copies(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe strings.map { unsafe strdup($0) } + [nil]
    }
}
