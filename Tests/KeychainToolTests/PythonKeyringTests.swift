// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The back end in `Integrations/python-keyring`, called by the Python library keyring.
@Suite(
    .enabled("python3-keyring is not installed") {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/keyring")
    }
)
struct PythonKeyringTests {
    private static let source = URL(filePath: #filePath)
        .appending(path: "../../../Integrations/python-keyring").standardizedFileURL.path

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Runs a line of shell in which Python finds the back end.
    private func shell(_ line: String) throws -> ToolProcess.Result {
        let variables = "PYTHONPATH=\(Self.source) PYTHONDONTWRITEBYTECODE=1"
        let selection = "PYTHON_KEYRING_BACKEND=swift_keychain_keyring.Keyring"
        return try home.shell(
            "cd; export \(variables) \(selection); keyring() { /usr/bin/python3 -m keyring \"$@\"; }; \(line)"
        )
    }

    @Test func `keyring stores, reads and deletes a password`() throws {
        let line = """
            echo 'canary ü' | keyring set https://upload.example/ alice; keyring get https://upload.example/ alice
            security get https://upload.example//alice; echo two | security set https://upload.example//alice
            keyring get https://upload.example/ alice; keyring del https://upload.example/ alice
            keyring get https://upload.example/ alice; echo $?
            """
        #expect(try shell(line).outputText == "canary ü\ncanary ü\ntwo\n1\n")
    }

    @Test func `passwords and names with special characters are kept`() throws {
        let script = """
            import keyring
            from keyring import errors
            service, user = '-s dash/x', '-a/b'
            for password in ['', 'a\\n', '\\n', 'x' * 100_000, 'ü\\0x', ' lead', '-w', 'a\\\\b', '0x41']:
                keyring.set_password(service, user, password)
                assert keyring.get_password(service, user) == password
                found = keyring.get_credential(service, None)
                assert (found.username, found.password) == (user, password)
            assert keyring.get_credential('other', None) is None
            keyring.delete_password(service, user)
            for call, error in [
                (lambda: keyring.delete_password(service, user), errors.PasswordDeleteError),
                (lambda: keyring.set_password('zero\\0', user, 'x'), errors.PasswordSetError),
            ]:
                try:
                    call()
                    assert False, error
                except error:
                    pass
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: home.directory + "/script.py"))
        let result = try shell("/usr/bin/python3 script.py")
        #expect(result.code == 0, "\(result.complaintsText)")
    }

    @Test func `a password that is not UTF-8 and a locked keychain are errors`() throws {
        let line = """
            printf '\\377' | security set bytes/me; keyring get bytes me 2>&1 | grep -c 'KeyringError: the password is not UTF-8'
            printf 'passcode' | security set-keychain-password; security lock-keychain
            keyring get bytes me 2>&1 | grep -c '^keyring.errors.KeyringLocked'
            """
        #expect(try shell(line).outputText == "1\n1\n")
    }

    @Test func `keyring finds the back end by its entry point`() throws {
        let line = """
            mkdir -p site/back-1.dist-info; cp \(Self.source)/*.py site
            printf 'Metadata-Version: 2.1\\nName: back\\nVersion: 1\\n' > site/back-1.dist-info/METADATA
            (echo '[keyring.backends]'; grep -A 1 'keyring.backends' \(Self.source)/pyproject.toml | tail -1 | tr -d '"') \\
            > site/back-1.dist-info/entry_points.txt
            unset PYTHON_KEYRING_BACKEND; export PYTHONPATH=$HOME/site
            keyring --list-backends | grep swift; PATH=/nonexistent keyring --list-backends | grep -c swift
            """
        #expect(try shell(line).outputText == "swift_keychain_keyring.Keyring (priority: 5.5)\n0\n")
    }
}
