// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import KeychainUserPresence

/// `keychain-agent`: asks the user for the passcode, and sends it to `securityd`.
///
/// A program that needs the passcode runs this agent on the user's terminal or display, and does not see the passcode.
/// The agent's file has the set-group-ID bit, and `securityd` recognizes the agent by its group and its executable.
@main enum KeychainAgent {
    private static let usage: Int32 = 64

    static func main() {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else { exit(usage) }
        guard getegid() != getgid() else { exit(PasscodeAgent.withoutGroup) }
        // Reset the file mode mask and the working directory, which the caller has chosen.
        umask(0o077)
        guard unsafe chdir("/") == 0 else { exit(PinentryFailure.unavailable.exitStatus) }
        // Makes the agent's group the real group too. The pinentry program inherits this group, so the user's other
        // programs cannot trace the pinentry program with `ptrace`.
        guard clinux_keep_effective_group() == 0, clinux_forbid_dumps() == 0 else {
            exit(PinentryFailure.unavailable.exitStatus)
        }
        clinux_close_from(STDERR_FILENO + 1)
        keepEnvironment()
        signal(SIGPIPE, SIG_IGN)
        do throws(PinentryFailure) {
            try ask(arguments, until: clinux_signals())
        } catch {
            exit(error.exitStatus)
        }
    }

    /// Removes all environment variables but those that name the terminal, the display and the language.
    ///
    /// `PATH` and `HOME` are replaced: toolkits load modules from the home directory, which the user's other programs
    /// can write.
    private static func keepEnvironment() {
        let kept = PasscodeAgent.variables.compactMap { name in
            unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
        }
        clinux_clear_environment()
        for (name, value) in kept + [("PATH", "/usr/bin:/bin"), ("HOME", "/nonexistent")] {
            unsafe setenv(name, value, 1)
        }
    }

    /// Asks for the passcode until it is right.
    ///
    /// - Throws: For example, if the user cancels, a signal arrives, or the daemon accepts no more answers.
    private static func ask(_ arguments: Arguments, until signals: CInt) throws(PinentryFailure) {
        let connection: AgentConnection
        do throws(StatusError) {
            connection = try AgentConnection(path: arguments.socket, prompt: arguments.prompt)
        } catch {
            throw error.reason == .promptEnded ? .stopped : .unavailable
        }
        let text = connection.text
        guard let program = InstalledFile.resolved(text.pinentry), InstalledFile.isProtected(program) else {
            throw .noProgram
        }
        let events = [connection.descriptor, signals]
        var pinentry = try Pinentry.start(PinentryDialog(text), .ofAgent(program)) {
            // Cancel the dialog if a signal arrives, or if the daemon closes the connection when the prompt has ended.
            events.contains { isReadable($0) }
        }
        var message: String?
        while true {
            let passcode = try pinentry.ask(error: message)
            do throws(StatusError) {
                return try connection.answer(passcode)
            } catch {
                guard [.passcodeWrong, .passcodeMalformed].contains(error.reason) else {
                    throw error.reason == .promptEnded ? .stopped : .unavailable
                }
                message = "The passcode is wrong."
            }
        }
    }

    private static func isReadable(_ descriptor: CInt) -> Bool {
        var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&file, 1, 0) > 0
    }
}

/// The arguments: the path of the daemon's socket, unless it is the default, and the number of the prompt.
///
/// The daemon has chosen the number, which identifies one request for the passcode; it is in hexadecimal.
private struct Arguments {
    let socket: String?
    let prompt: Bytes16

    init?(_ words: ArraySlice<String>) {
        var words = words
        var socket: String?
        if words.first == "--socket" {
            guard words.count == 3, let path = words.dropFirst().first, path.hasPrefix("/") else {
                return nil
            }
            socket = path
            words = words.dropFirst(2)
        }
        guard words.count == 1, let word = words.first, let bytes = Hexadecimal.bytes(word),
            let prompt = Bytes16(bytes)
        else { return nil }
        self.socket = socket
        self.prompt = prompt
    }
}
