// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainModel
import KeychainTestSupport
import Testing

/// Unlocking at a login through PAM.
///
/// A program authenticates a user with a service file that runs `pam_exec`.
@Suite struct PAMTests {
    private static let passcode = "canary-passcode"

    /// A program that authenticates with PAM.
    ///
    /// The arguments are the service, the user and the directory of service files;
    /// standard input has the password. It prints the result of `pam_authenticate`, 0 for success.
    private static let application = """
        import ctypes, sys
        class Message(ctypes.Structure):
            _fields_ = [('style', ctypes.c_int), ('text', ctypes.c_char_p)]
        class Response(ctypes.Structure):
            _fields_ = [('text', ctypes.c_void_p), ('code', ctypes.c_int)]
        Converse = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)),
            ctypes.POINTER(ctypes.POINTER(Response)), ctypes.c_void_p)
        class Conversation(ctypes.Structure):
            _fields_ = [('function', Converse), ('data', ctypes.c_void_p)]
        c, pam = ctypes.CDLL(None), ctypes.CDLL('libpam.so.0')
        c.calloc.restype, c.strdup.restype = ctypes.c_void_p, ctypes.c_void_p
        password = sys.stdin.buffer.readline().rstrip(b'\\n')
        def converse(count, messages, responses, data):
            memory = c.calloc(count, ctypes.sizeof(Response))
            answers = ctypes.cast(memory, ctypes.POINTER(Response))
            for number in range(count):
                # 1 is PAM_PROMPT_ECHO_OFF. PAM frees the answers.
                if messages[number].contents.style == 1: answers[number].text = c.strdup(password)
            responses[0] = answers
            return 0
        conversation, handle = Conversation(Converse(converse), None), ctypes.c_void_p()
        service, user, directory = (argument.encode() for argument in sys.argv[1:4])
        assert pam.pam_start_confdir(
            service, user, ctypes.byref(conversation), directory, ctypes.byref(handle)) == 0
        print(pam.pam_authenticate(handle, 0), flush=True)
        pam.pam_end(handle, 0)
        """

    /// Writes a PAM service file with the `pam_exec` line from `Documentation/Daemon.md`; returns its directory.
    private static func writeService(for daemon: DaemonProcess) throws -> String {
        let directory = daemon.directory.appending(component: "pam.d")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/Daemon.md").standardizedFileURL
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("auth optional pam_exec.so ") })
        // `pam_exec` gives the command only PAM's own environment variables.
        let command = "/usr/bin/env XDG_RUNTIME_DIR=\(daemon.directory.path) KEYCHAIN_BACKEND=daemon "
        let service = line.replacing("/usr/bin/security", with: command + SecurityCommand.executable)
        let rest = "auth required pam_permit.so\naccount required pam_permit.so\n"
        try "\(service)\n\(rest)".write(
            to: directory.appending(component: "keychain-login"),
            atomically: false,
            encoding: .utf8
        )
        return directory.path
    }

    @Test(arguments: [(password: passcode, isUnlocked: true), (password: "canary-wrong", isUnlocked: false)])
    func `a login through PAM succeeds, and unlocks if the password is the passcode`(
        password: String,
        isUnlocked: Bool
    ) throws {
        try UnattendedUnlockTests.withLockedStore { daemon in
            let user = String(cString: getpwuid(geteuid()).pointee.pw_name)
            let login = try ChildProcess(
                "/usr/bin/python3",
                ["-c", Self.application, "keychain-login", user, Self.writeService(for: daemon)],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            defer { login.end() }
            try login.send(password)
            #expect(try login.readLine() == "0")
            #expect(try login.wait() == .exited(0))
            #expect(try (UnattendedUnlockTests.lockState(daemon) == .unlocked) == isUnlocked)
        }
    }
}
