// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient

/// Starts another program; its standard input can be a file in memory.
struct ChildProgram {
    let path: String
    let arguments: [String]

    /// Where the standard output of the program goes; with `inherited`, it inherits all standard streams.
    enum Output {
        case discarded, captured, inherited
    }

    init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// The path at which a started program opens the file that is shared with it.
    static let sharedPath = "/proc/self/fd/\(sharedDescriptor)"
    private static let sharedDescriptor = STDERR_FILENO + 1

    /// The path of a program in `PATH`, or a name with a slash unchanged; `nil` if there is no such program.
    static func find(_ name: String) -> String? {
        guard !name.contains("/") else { return unsafe access(name, X_OK) == 0 ? name : nil }
        for folder in Variable.string("PATH").split(separator: ":") {
            let path = "\(folder)/\(name)"
            if unsafe access(path, X_OK) == 0 { return path }
        }
        return nil
    }

    /// Runs the program until it ends; returns the exit code, or 128 plus the signal, and the captured output.
    ///
    /// If a file is shared with the program, the program can open it at ``sharedPath``, and runs in a new session
    /// without a terminal.
    func run(
        input: MemoryFile? = nil,
        output: Output = .discarded,
        sharing file: MemoryFile? = nil
    ) throws(Failure) -> (code: Int32, output: [UInt8]) {
        let captured = output == .captured ? try MemoryFile([]) : nil
        // Ignore Ctrl-C and Ctrl-\ at the terminal: the program receives them too, and decides what to do.
        let ignored = IgnoredSignals(output == .inherited ? [SIGINT, SIGQUIT] : [])
        defer { ignored.restore() }
        let process = try start(
            input: input?.descriptor ?? -1,
            output: captured?.descriptor ?? -1,
            inheritsTerminal: output == .inherited,
            inOwnSession: file != nil,
            sharing: file?.descriptor,
            resetting: ignored
        )
        let status = Self.wait(for: process)
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
        return (code, try captured?.contents() ?? [])
    }

    /// Waits until a child process ends; returns the status of `waitpid`.
    @discardableResult private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Starts the program in a new session, so that it continues when the terminal is closed.
    func startInBackground(input: MemoryFile) throws(Failure) {
        let process = try start(
            input: input.descriptor,
            output: -1,
            inheritsTerminal: false,
            inOwnSession: true
        )
        // In interactive mode, this process may run longer than the program, which would then remain as a zombie.
        SystemKeychain.detach { Self.wait(for: process) }
    }

    /// Starts the program with descriptors for its input and output; -1 selects `/dev/null`.
    ///
    /// With `inheritsTerminal`, the program inherits all standard streams instead.
    private func start(
        input: Int32,
        output: Int32,
        inheritsTerminal: Bool,
        inOwnSession: Bool,
        sharing file: Int32? = nil,
        resetting ignored: IgnoredSignals? = nil
    ) throws(Failure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        if !inheritsTerminal {
            for (stream, file) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, -1)] {
                if file >= 0 {
                    unsafe posix_spawn_file_actions_adddup2(&actions, file, stream)
                } else {
                    let mode = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY
                    unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", mode, 0)
                }
            }
            if let file { unsafe posix_spawn_file_actions_adddup2(&actions, file, Self.sharedDescriptor) }
            unsafe _ = clinux_spawn_close_from(&actions, Self.sharedDescriptor + (file == nil ? 0 : 1))
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        var flags = inOwnSession ? Int16(clinux_spawn_new_session) : 0
        if let ignored {
            var signals = ignored.handled
            unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
            flags |= Int16(POSIX_SPAWN_SETSIGDEF)
        }
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, path, &actions, &attributes, &words, environ)
        guard code == 0 else { throw InputFile.failure(path, code) }
        return process
    }
}

/// Signals that this process ignores while another program runs.
private struct IgnoredSignals {
    private var actions: [(signal: Int32, action: sigaction)] = []
    /// The signals that the process did not ignore before.
    private(set) var handled = sigset_t()

    /// Ignores the given signals until ``restore()`` is called.
    init(_ signals: [Int32]) {
        unsafe sigemptyset(&handled)
        var ignoring = sigaction()
        unsafe ignoring.__sigaction_handler.sa_handler = SIG_IGN
        for signal in signals {
            var old = sigaction()
            unsafe sigaction(signal, &ignoring, &old)
            actions.append((signal, old))
            let isIgnored =
                unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
            if !isIgnored { unsafe sigaddset(&handled, signal) }
        }
    }

    func restore() {
        for (signal, action) in actions {
            var action = action
            unsafe _ = sigaction(signal, &action, nil)
        }
    }
}

enum Variable {
    /// The value; empty if the variable is unset or not UTF-8.
    static func string(_ name: String) -> String {
        guard let value = unsafe getenv(name) else { return "" }
        return unsafe String(validatingCString: value) ?? ""
    }
}
