// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainDaemon
import KeychainModel

/// `securityd`: serves a keychain over a Unix socket.
@main enum SecurityDaemon {
    private static let usage = """
        usage: securityd --user [--socket PATH] [--idle-exit SECONDS]

        Serves the keychain of the current user to the user's programs, over
        $XDG_RUNTIME_DIR/keychain/socket or a socket that systemd passes.

        """

    /// The exit statuses: EX_USAGE, EX_UNAVAILABLE.
    private enum Exit {
        static let usage: Int32 = 64
        static let unavailable: Int32 = 69
    }

    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            write(usage)
            exit(Exit.usage)
        }
        // The daemon's memory has keys: forbid core dumps, and tracing by other programs of the user.
        _ = clinux_forbid_dumps()
        let signals = clinux_signals()
        do throws(StatusError) {
            let listener = try listen(options)
            let store = try SystemKeychain.directoryOfEnvironment()
            var configuration = ServerConfiguration(
                service: .user(store: store),
                workers: sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2
            )
            configuration.idleExit = options.idleExit
            let server = try Server(configuration, listener: listener.descriptor, signals: signals)
            ServiceManager.notify("READY=1")
            log("ready")
            server.run()
            ServiceManager.notify("STOPPING=1")
            listener.remove()
            log("stopped")
        } catch {
            log(error.explanation.sentence)
            exit(Exit.unavailable)
        }
    }

    private static func listen(_ options: Options) throws(StatusError) -> ListeningSocket {
        if let passed = ServiceManager.passedListener() { return ListeningSocket(passed: passed) }
        guard let path = options.socket ?? SystemKeychain.userSocketPath() else {
            throw StatusError(.notAvailable, .directoryMissing)
        }
        return try ListeningSocket(at: path)
    }

    /// Writes a line of the log, which must not contain secrets or values of attributes.
    private static func log(_ line: String) { write("securityd[\(getpid())]: \(line)\n") }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// The options of the command line.
private struct Options {
    var socket: String?
    var idleExit: UInt32?

    /// Parses the arguments; `nil` if they are not valid.
    init?(_ arguments: ArraySlice<String>) {
        var (rest, isUser) = (arguments, false)
        while let argument = rest.popFirst() {
            switch argument {
            case "--user": isUser = true
            case "--socket":
                guard let path = rest.popFirst(), path.hasPrefix("/") else { return nil }
                socket = path
            case "--idle-exit":
                guard let text = rest.popFirst(), let seconds = UInt32(text), seconds > 0 else { return nil }
                idleExit = seconds
            default: return nil
            }
        }
        guard isUser else { return nil }
    }
}
