// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// `security import-passwords --from secret-service`, from the real gnome-keyring on a private bus.
@Suite(SecretServiceMachine.isAvailable, GnomeKeyring.isAvailable) struct SecretServiceImportTests {
    @Test func `all items of a running gnome-keyring are imported, and its items stay`() throws {
        let machine = try SecretServiceMachine()
        let keyring = try GnomeKeyring(on: machine)
        defer { keyring.end() }
        let secrets = ["canary one", "canary zwei ü", "canary three"]
        try keyring.store("Mail", ["service": "imap", "username": "joe"], secrets[0])
        try keyring.store("Web", ["server": "h.example", "protocol": "https", "user": "ann"], secrets[1])
        try keyring.store("Key of an app", ["application": "app", "version": "v10"], secrets[2])

        let preview = try machine.importPasswords("--dry-run")
        #expect(preview.ending == .exited(0), "\(preview.text)")
        for line in [
            "add: imap/joe ", "add: h.example/ann ",
            "add: Key of an app/application=app&version=v10 ", "would be added: 3",
        ] { #expect(preview.text.contains(line), "\(line): \(preview.text)") }
        #expect(try machine.run("security", ["list", "--all"]).text.isEmpty)

        let imported = try machine.importPasswords()
        #expect(imported.ending == .exited(0) && imported.lines.contains("added: 3"), "\(imported.text)")
        #expect(try machine.run("security", ["get", "imap/joe", "--raw"]).text == secrets[0])
        let internet = ["find-internet-password", "-s", "h.example", "-a", "ann", "-r", "htps", "--raw"]
        #expect(try machine.run("security", internet).text == secrets[1])
        #expect(try machine.run("security", ["get", "Key of an app", "--raw"]).text == secrets[2])
        #expect(try machine.secretTool("lookup", "service", "imap").text == secrets[0])

        let again = try machine.importPasswords()
        #expect(again.lines.contains("added: 0") && again.lines.contains("skipped: 3"), "\(again.text)")
        try keyring.store("Mail", ["service": "imap", "username": "joe"], "canary new")
        let replaced = try machine.importPasswords("--on-conflict", "replace")
        #expect(replaced.lines.contains("replaced: 3"), "\(replaced.text)")
        #expect(try machine.run("security", ["get", "imap/joe", "--raw"]).text == "canary new")
        #expect(try machine.importPasswords("--on-conflict", "fail").ending == .exited(45))
        #expect(try Canary.files(in: machine.directory.appending(component: "store")) == [])
    }

    @Test func `a collection that stays locked is reported`() throws {
        let machine = try SecretServiceMachine()
        let keyring = try GnomeKeyring(on: machine)
        defer { keyring.end() }
        try keyring.store("Mail", ["service": "imap", "username": "joe"], "canary-secret")
        try keyring.lock()
        let output = try machine.importPasswords()
        #expect(output.ending == .exited(0), "\(output.text)")
        #expect(output.lines.contains("added: 0") && output.lines.contains("left out: 1"), "\(output.text)")
        #expect(output.text.contains("it is locked, and the program that has it did not unlock it"))
        let words = ["--no-prompt", "import-passwords", "--from", "secret-service"]
        let silent = try machine.run("security", words)
        #expect(silent.text.contains("it is locked, and --no-prompt forbids asking"), "\(silent.text)")
    }

    /// A Secret Service without items, whose answer to a request for an encrypted session is an error, and which prints
    /// the algorithm of each requested session.
    private static let service = """
        import sys
        from jeepney import HeaderFields, MessageType, new_error, new_method_return
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection('SESSION')
        bus.send_and_get_reply(message_bus.RequestName('org.freedesktop.secrets'))
        print('ready', flush=True)
        while True:
            call = bus.receive()
            if call.header.message_type != MessageType.method_call: continue
            method = call.header.fields[HeaderFields.member]
            if method == 'OpenSession':
                print(call.body[0], flush=True)
                if call.body[0] == 'plain': reply = new_method_return(call, 'vo', (('s', ''), '/session'))
                else: reply = new_error(call, sys.argv[1])
            else: reply = new_method_return(call, 'v', (('ao', []),))
            bus.send(reply)
        """

    @Test(arguments: [("NotSupported", true), ("Failed", false)])
    func `a plain session is opened only if the service does not support encryption`(
        error: String,
        isPlain: Bool
    ) throws {
        let machine = try SecretServiceMachine()
        let service = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.service, "org.freedesktop.DBus.Error.\(error)"],
            environment: machine.environment,
            at: .noTerminal
        )
        defer { service.end() }
        #expect(try service.readLine() == "ready")
        let output = try machine.importPasswords()
        #expect(output.ending == .exited(isPlain ? 0 : 1), "\(output.text)")
        service.kill()
        let plain = isPlain ? ["plain"] : []
        #expect(try service.readLines() == ["dh-ietf1024-sha256-aes128-cbc-pkcs7"] + plain)
    }

    @Test func `this package's own service is refused as the source`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        _ = try machine.secretTool("store", "--label=L", "service", "s", input: Canary.make("password"))
        let output = try machine.importPasswords()
        #expect(output.ending == .exited(1))
        #expect(output.text.contains("its items are in this keychain already"), "\(output.text)")
        _ = try machine.stop(service)
    }

    @Test func `a missing bus and an operand are errors`() throws {
        let machine = try SecretServiceMachine(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"])
        let output = try machine.importPasswords()
        #expect(output.ending == .exited(1))
        #expect(output.text.contains("there is no session bus"), "\(output.text)")
        #expect(try machine.importPasswords("file").ending == .exited(2))
    }
}

/// The real gnome-keyring on the bus of a machine, with one unlocked collection.
struct GnomeKeyring {
    private static let program = "/usr/bin/gnome-keyring-daemon"

    static let isAvailable: ConditionTrait = .enabled("needs gnome-keyring (apt-get install gnome-keyring)") {
        FileManager.default.isExecutableFile(atPath: program)
    }

    private let machine: SecretServiceMachine
    private let daemon: ChildProcess

    init(on machine: SecretServiceMachine) throws {
        self.machine = machine
        daemon = try machine.launch(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" 2>&1", Self.program, "--foreground", "--unlock",
                "--components=secrets",
            ],
            ["XDG_DATA_HOME": machine.directory.path + "/gnome"]
        )
        try daemon.send("canary-keyring")
        daemon.finishInput()
        // Wait until the daemon owns the name.
        for _ in 0..<200 {
            let owner = try machine.run(
                "/usr/bin/dbus-send",
                [
                    "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                    "org.freedesktop.DBus.GetNameOwner", "string:org.freedesktop.secrets",
                ]
            )
            if owner.ending == .exited(0) { return }
            usleep(50_000)
        }
        throw SecretServiceMachine.Failure(description: "gnome-keyring did not start")
    }

    func end() { daemon.end() }

    func store(_ label: String, _ attributes: [String: String], _ secret: String) throws {
        let pairs = attributes.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let output = try machine.run(
            "/usr/bin/secret-tool",
            ["store", "--label=\(label)"] + pairs,
            input: secret
        )
        guard output.ending == .exited(0) else {
            throw SecretServiceMachine.Failure(description: output.text)
        }
    }

    /// Locks the collection; secret-tool 0.20 locks it too, but crashes.
    func lock() throws {
        let output = try machine.run(
            "/usr/bin/dbus-send",
            [
                "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
                "org.freedesktop.Secret.Service.Lock",
                "array:objpath:/org/freedesktop/secrets/collection/login",
            ]
        )
        guard output.ending == .exited(0) else {
            throw SecretServiceMachine.Failure(description: output.text)
        }
    }
}

extension SecretServiceMachine {
    func importPasswords(_ options: String...) throws -> Output {
        try run("security", ["import-passwords", "--from", "secret-service"] + options)
    }
}
