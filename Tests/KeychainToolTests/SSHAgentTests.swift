// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// OpenSSH uses keys of the keychain, from files and through `security ssh-agent`.
@Suite(CredentialHelperTests.has("ssh-keygen")) struct SSHAgentTests {
    static let types = ["ed25519", "rsa -b 2048", "ecdsa -b 256", "ecdsa -b 384", "ecdsa -b 521"]

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Runs a shell command in the test's directory, which must succeed, and returns its output.
    @discardableResult
    private func sh(_ line: String, at location: SourceLocation = #_sourceLocation) throws -> String {
        let result = try home.shell("cd && \(line)")
        try #require(result.code == 0, "\(line): \(result.complaintsText)", sourceLocation: location)
        return result.outputText
    }

    private func makeKey(_ type: String) throws {
        try sh("ssh-keygen -q -t \(type) -N '' -C me@example.com -f key && cut -d ' ' -f 1,2 key.pub > line")
    }

    // MARK: Files

    @Test(arguments: Sampling.some(3, of: types, for: "types of OpenSSH keys"))
    func `a private key in OpenSSH's format is imported and exported`(type: String) throws {
        try makeKey(type)
        #expect(try sh("security import key") == "1 key imported.\n")
        try sh(
            "security export -t privKeys -f openssh2 -o out && ssh-keygen -y -f out | cut -d ' ' -f 1,2 | cmp - line"
        )
        try sh("security export -t privKeys -f pkcs8 -p | openssl pkey -pubout -out /dev/null")
    }

    @Test(arguments: Sampling.some(3, of: types, for: "types of OpenSSH public keys"))
    func `a public key in OpenSSH's format is imported and exported`(type: String) throws {
        try makeKey(type)
        #expect(try sh("security import key.pub") == "1 key imported.\n")
        try sh("security export -t pubKeys -f openssh2 | cmp - line")
        try sh("security export -t pubKeys -f openssl | openssl pkey -pubin -inform DER -noout")
    }

    @Test(arguments: ["ed25519", "rsa -b 2048", "ecdsa -b 256"])
    func `a private key is exported in OpenSSH's format with a passphrase`(type: String) throws {
        try makeKey(type)
        try sh("security import key && printf 'canary phrase' > phrase")
        try sh("security export -t privKeys -f openssh2 -o out -P < phrase")
        #expect(try sh("stat -c %a out") == "600\n")
        try sh("ssh-keygen -y -P 'canary phrase' -f out | cut -d ' ' -f 1,2 | cmp - line")
        #expect(try home.shell("cd && ssh-keygen -y -P '' -f out").code != 0)
        try sh("security delete-keychain --erase-all-items && security import out -P < phrase")
        try sh(
            "security export -t privKeys -f openssh2 | ssh-keygen -y -f /dev/stdin | cut -d ' ' -f 1,2 | cmp - line"
        )
        #expect(
            try home.shell("cd && printf abcd | security export -t privKeys -f openssh2 -o no -P").code == 206
        )
        // Without a passphrase and a terminal, -w writes no file, rather than an unencrypted one.
        #expect(
            try home.shell("cd && security export -t privKeys -f openssh2 -w -o no < /dev/null").code == 84
        )
        #expect(try home.shell("cd && test ! -e no").code == 0)
    }

    @Test func `a generated Ed25519 key pair is read by OpenSSL and OpenSSH`() throws {
        try sh("security create-keypair -a ed25519 pair")
        try sh(
            "security export -t privKeys -f pkcs8 -p -o private.pem && security export -t pubKeys -f openssl -p -o public.pem"
        )
        try sh("openssl pkey -in private.pem -pubout | cmp - public.pem")
        try sh(
            "printf text > text && openssl pkeyutl -sign -rawin -inkey private.pem -in text -out signature"
        )
        try sh("openssl pkeyutl -verify -rawin -pubin -inkey public.pem -in text -sigfile signature")
        try sh(
            "security export -t privKeys -f openssh2 -o out && ssh-keygen -y -f out | cut -d ' ' -f 1,2 > line"
        )
        try sh("security export -t pubKeys -f openssh2 | cmp - line")
    }

    // MARK: Agent

    @Test func `an agent without free descriptors waits until a connection closes`() throws {
        let script = """
            import os, resource, socket, time
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            def ticks():
                fields = open(f'/proc/{os.getppid()}/stat').read().rsplit(')', 1)[1].split()
                return int(fields[11]) + int(fields[12])
            connections = []
            for _ in range(80):
                connections.append(socket.socket(socket.AF_UNIX))
                connections[-1].connect(os.environ['SSH_AUTH_SOCK'])
            time.sleep(0.2)
            before = ticks()
            time.sleep(1.5)
            print('busy' if ticks() - before > 30 else 'waits')
            for connection in connections[:75]:
                connection.close()
            for connection in connections[75:]:
                connection.settimeout(60)
                connection.sendall(b'\\0\\0\\0\\1\\x0b')
                assert connection.recv(5)
            print('answers')
            """
        try Data(script.utf8).write(to: URL(filePath: home.directory + "/clients.py"))
        let result = try sh(
            "ulimit -S -n 60 && security ssh-agent -- /usr/bin/python3 clients.py"
        )
        #expect(result == "waits\nanswers\n")
    }

    /// The types of keys for the agent: each algorithm with its usual size, and a sample of the other sizes.
    private static let agentTypes =
        ["ed25519", "rsa -b 2048", "ecdsa -b 256"]
        + Sampling.some(1, of: ["ecdsa -b 384", "ecdsa -b 521"], for: "types of keys of an agent")

    @Test(arguments: agentTypes)
    func `OpenSSH lists a key of the keychain and signs with it`(type: String) throws {
        try makeKey(type)
        try sh("security import key -a label 'my key' && shred -u key && printf text > text")
        let listed = try sh("security ssh-agent -- ssh-add -L")
        #expect(try listed == "\(sh("tr -d '\\n' < line")) my key\n")
        try sh("security ssh-agent -- ssh-keygen -q -Y sign -f key.pub -n file text")
        try sh("(printf 'me '; cat line) > allowed")
        try sh("ssh-keygen -q -Y verify -f allowed -I me -n file -s text.sig < text")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd")))
    func `the user logs in at a server with a key of the keychain`() throws {
        try makeKey("ed25519")
        try sh("security import key && rm key && ssh-keygen -q -t ed25519 -N '' -f host_key")
        let settings = """
            HostKey \(home.directory)/host_key
            AuthorizedKeysFile \(home.directory)/key.pub
            StrictModes no
            UsePAM no
            PidFile none
            PasswordAuthentication no
            KbdInteractiveAuthentication no

            """
        try Data(settings.utf8).write(to: URL(fileURLWithPath: home.directory + "/sshd_config"))
        let login = """
            security ssh-agent -- ssh -F none -o "ProxyCommand=/usr/sbin/sshd -i -f $HOME/sshd_config" \
            -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o BatchMode=yes -o IdentityFile=none \
            -o LogLevel=ERROR "$(id -un)@localhost" echo logged in
            """
        // `sshd` requires this directory, which the system's own server may have created.
        let result = try home.shell("mkdir /run/sshd 2> /dev/null && trap 'rmdir /run/sshd' EXIT; \(login)")
        #expect(result.outputText == "logged in\n", "\(result.complaintsText)")
    }

    @Test func `an agent without keys lists none, and refuses to add one`() throws {
        try makeKey("ed25519")
        let empty = try home.shell("security ssh-agent ssh-add -l")
        #expect(empty.code == 1)
        #expect(empty.outputText == "The agent has no identities.\n")
        #expect(try home.shell("cd; security ssh-agent ssh-add -q key").code == 1)
        #expect(try home.shell("cd; security ssh-agent ssh-add -D").code == 1)
    }

    @Test func `a key with an access control is listed, and asks the user at each use`() throws {
        try makeKey("ed25519")
        try sh("printf 'passcode' | security set-keychain-password && printf text > text")
        try sh("security import key --access-control user-presence && rm key")
        #expect(try sh("security ssh-agent ssh-add -l").contains("(ED25519)"))
        let sign = "ssh-keygen -q -Y sign -f key.pub -n file"
        // Without a terminal the user cannot be asked, so signing fails.
        #expect(try home.shell("cd; security ssh-agent -- \(sign) text").code != 0)
        try home.run(
            #"""
            cd; printf '#!/bin/sh\necho OK\nwhile read -r line; do\necho "$line" >> "$0.log"\n[ "$line" = GETPIN ] && echo "D passcode"\necho OK\ndone\n' > pinentry
            chmod 700 pinentry; printf text > second
            DISPLAY=:1 KEYCHAIN_PINENTRY="$HOME/pinentry" security ssh-agent -- sh -c '\#(sign) text && \#(sign) second'
            """#
        )
        #expect(try sh("grep -c GETPIN pinentry.log") == "2\n")
        #expect(try sh("grep -c 'Sign for SSH with the key' pinentry.log") == "2\n")
    }

    @Test
    func `an agent at a path serves until a signal, and replaces the socket of an agent that was killed`()
        throws
    {
        try makeKey("ed25519")
        try sh("security import key")
        let line = """
            cd; start() { security ssh-agent -a "$HOME/agent" > agent.env & agent=$!; while ! test -s agent.env; do sleep 0.05; done; }
            start; . ./agent.env; ssh-add -l | wc -l; stat -c %a agent
            security ssh-agent -a "$HOME/agent"; echo "second: $?"
            kill -KILL $agent; wait $agent 2> /dev/null; : > agent.env
            start; ssh-add -l | wc -l
            kill $agent; wait $agent; echo "code: $?"; test -e agent || echo removed
            """
        let result = try home.shell(line)
        #expect(result.outputText == "1\n600\nsecond: 1\n1\ncode: 0\nremoved\n")
        #expect(result.complaintsText.contains("Address already in use"))
    }

    @Test func `the shell evaluates the printed path of the socket as one word`() throws {
        try makeKey("ed25519")
        try sh("security import key && mkdir \"it's a; directory\"")
        let line = """
            cd; security ssh-agent -a "$HOME/it's a; directory/agent" > agent.env & agent=$!
            while ! test -s "$HOME/agent.env"; do sleep 0.05; done
            . "$HOME/agent.env"; echo "$SSH_AUTH_SOCK"; ssh-add -l | wc -l; kill $agent; wait $agent
            """
        let result = try home.shell(line)
        #expect(result.outputText == "\(home.directory)/it's a; directory/agent\n1\n")
    }

    @Test func `the systemd unit's command serves the keys at the documented path`() throws {
        try makeKey("ed25519")
        try sh("security import key")
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let unit = sources.appending(path: "Packaging/systemd/user/keychain-ssh-agent.service")
        let lines = try String(contentsOf: unit, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "=")
        }
        func value(_ name: String) throws -> String {
            try String(#require(lines.first { $0.first?.elementsEqual(name) == true }?.last))
        }
        let command = try value("ExecStart").replacing("/usr/bin/security", with: "security")
            .replacing("%t", with: "$XDG_RUNTIME_DIR")
        let directory = try value("RuntimeDirectory")
        let line = """
            mkdir "$XDG_RUNTIME_DIR/\(directory)"; \(command) > "$HOME/agent.env" & agent=$!
            while ! test -s "$HOME/agent.env"; do sleep 0.05; done
            SSH_AUTH_SOCK="$XDG_RUNTIME_DIR/keychain-ssh-agent/socket" ssh-add -l | wc -l; kill $agent; wait $agent; echo $?
            """
        #expect(try home.shell(line).outputText == "1\n0\n")
    }

    @Test(arguments: [("sh -c 'exit 3'", 3), ("sh -c 'kill -9 $$'", 137), ("nonexistent-command", 127)])
    func `an agent ends with the code of its command`(command: String, code: Int32) throws {
        #expect(try home.shell("security ssh-agent -- \(command)").code == code)
        #expect(try sh("ls $XDG_RUNTIME_DIR | grep -c ssh-agent || true") == "0\n")
    }

    @Test func `malformed requests end the connection or fail, and the agent goes on`() throws {
        let script = """
            import os, socket, struct
            def ask(data):
                s = socket.socket(socket.AF_UNIX); s.connect(os.environ['SSH_AUTH_SOCK']); s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                return s.recv(100)
            frame = lambda data: struct.pack('>I', len(data)) + data
            failure = frame(b'\\x05')
            for data in [b'\\x0d', b'\\x0b\\x00', b'\\xff', b'\\x0d\\xff\\xff\\xff\\xff', b'\\x0d' + frame(b'x') + frame(b'y') + b'\\x00' * 4]:
                assert ask(frame(data)) == failure, data
            for data in [b'', b'\\x00', frame(b''), b'\\xff\\xff\\xff\\xff']:
                assert ask(data) == b'', data
            s = socket.socket(socket.AF_UNIX); s.connect(os.environ['SSH_AUTH_SOCK'])
            for byte in frame(b'\\x0b') * 2: s.sendall(bytes([byte]))
            answer = b''
            while len(answer) < 18: answer += s.recv(100)
            assert answer == frame(b'\\x0c\\x00\\x00\\x00\\x00') * 2
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: home.directory + "/client.py"))
        try sh("security ssh-agent python3 client.py")
    }
}
