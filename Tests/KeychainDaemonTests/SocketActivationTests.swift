// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The system service as systemd starts it: with a socket that it inherits, as its own user, and with a
/// `keychain-identify` for each connection to another socket.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct SocketActivationTests {
    /// Does what systemd does for the units `securityd` and `keychain-identify`.
    ///
    /// The arguments are the paths of `keychain-identify` and `securityd`, and the arguments of the latter. Prints the
    /// process ID of each `keychain-identify`; the daemon prints to the same output.
    private static let serviceManager = """
        import os, socket, subprocess, sys, threading
        user = lambda number: ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--clear-groups',
                               '--reuid', number, '--regid', number]
        def listen(path, mode):
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            os.chmod(path, mode)
            listener.listen(64)
            return listener
        os.mkdir('/run/keychain', 0o755)
        clients = listen('/run/keychain/socket', 0o666)
        requests = listen('/run/keychain/identify', 0o600)
        os.chown('/run/keychain/identify', 64001, 64001)
        rights = '-all,+sys_ptrace,+dac_read_search'
        def identify():
            while True:
                connection, _ = requests.accept()
                child = subprocess.Popen(
                    user('64004') + ['--inh-caps', rights, '--ambient-caps', rights, '--bounding-set', rights,
                                     sys.argv[1]], stdin=connection)
                connection.close()
                print('identify', child.pid, flush=True)
        threading.Thread(target=identify, daemon=True).start()
        if clients.fileno() != 3: os.dup2(clients.fileno(), 3)
        shell = ['/bin/sh', '-c', 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"']
        subprocess.Popen(user('64001') + shell + sys.argv[2:], pass_fds=[3]).wait()
        """

    private static let files = """
        mount -t tmpfs -o mode=755 none /run
        mkdir -m 700 "$0/state"
        chown 64001:64001 "$0/state"
        """

    /// Reads lines until the process ID of the next `keychain-identify`.
    private static func nextIdentify(_ manager: ChildProcess) throws -> pid_t {
        while let line = try manager.readLine() {
            if line.hasPrefix("identify "), let process = pid_t(line.dropFirst(9)) { return process }
        }
        throw StartFailure(ending: manager.end())
    }

    @Test func `the daemon uses a new keychain-identify after one has ended, and after one does not answer`()
        throws
    {
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            let namespace = try MountNamespace(Self.files, in: directory)
            defer { namespace.end() }
            let identify = URL(filePath: DaemonProcess.executable).deletingLastPathComponent()
                .appending(component: "keychain-identify").path
            let manager = try namespace.start(
                "/usr/bin/python3",
                ["-c", Self.serviceManager, identify, DaemonProcess.executable, "--system"]
                    + ["--state", directory.path + "/state"]
            )
            defer { manager.end() }
            let program = try SystemDaemon.copyTool("program", to: directory)
            /// Starts the program, and lets it make a call over a new connection.
            func ask(_ call: String) throws -> String {
                let child = try namespace.start(program, as: .alice)
                defer { child.end() }
                return try child.ask(call)
            }
            // The daemon connects when it starts.
            let first = try Self.nextIdentify(manager)
            #expect(try ask("add canary canary-value") == "0")
            kill(first, SIGKILL)
            try #require(try ask("copy canary") == "0 canary-value")
            kill(try Self.nextIdentify(manager), SIGSTOP)
            try #require(try ask("copy canary") == "0 canary-value")
            _ = try Self.nextIdentify(manager)
        }
    }
}
