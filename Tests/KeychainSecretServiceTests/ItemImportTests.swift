// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// `keychain-secret-service --import`, from the real gnome-keyring on a private bus.
@Suite(SecretServiceMachine.isAvailable, GnomeKeyring.isAvailable) struct ItemImportTests {
    private static let attributes = ["service": "imap", "user": "joe"]
    private static let secrets = ["canary-imap", "canary-web"]

    /// Prints the secrets that Python's programs find, one for each item.
    private static let found = """
        import secretstorage
        bus = secretstorage.dbus_init()
        items = secretstorage.get_default_collection(bus).search_items({'service': 'imap'})
        print(' '.join(sorted(item.get_secret().decode().strip() for item in items)))
        """

    /// Calls the closure after gnome-keyring with two items has started, and ends gnome-keyring.
    private func keyring(on machine: SecretServiceMachine, _ body: (GnomeKeyring) throws -> Void) throws {
        let keyring = try GnomeKeyring(on: machine)
        defer { keyring.end() }
        try keyring.store("Mail", Self.attributes, Self.secrets[0])
        try keyring.store("Web", ["server": "h.example", "protocol": "https"], Self.secrets[1])
        try body(keyring)
    }

    private func imports(_ machine: SecretServiceMachine) throws -> SecretServiceMachine.Output {
        try machine.run("keychain-secret-service", ["--import"])
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `every program finds an imported item until one of them stores it again`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let machine = try SecretServiceMachine(over: backend)
        try keyring(on: machine) { _ in
            for (added, skipped) in [(2, 0), (0, 2)] {
                let output = try imports(machine)
                #expect(output.ending == .exited(0))
                #expect(output.lines == ["added: \(added)", "skipped: \(skipped)", "left out: 0"])
            }
            #expect(try machine.secretTool("lookup", "service", "imap").text == Self.secrets[0])
        }
        let service = try machine.start()
        #expect(try machine.secretTool("lookup", "service", "imap").text == Self.secrets[0])
        #expect(try machine.secretTool("lookup", "server", "h.example").text == Self.secrets[1])
        #expect(try machine.python(Self.found).text == Self.secrets[0])

        let stored = try machine.secretTool(
            "store",
            "--label=New",
            "service",
            "imap",
            "user",
            "joe",
            input: "canary-new"
        )
        #expect(stored.ending == .exited(0), "\(stored.text)")
        #expect(try machine.secretTool("lookup", "service", "imap").text == "canary-new")
        #expect(try machine.python(Self.found).text == "")
        let found = try machine.secretTool("search", "--all", "service", "imap")
        #expect(found.lines.filter { $0.hasPrefix("label = ") } == ["label = New"])
        _ = try machine.stop(service)
        #expect(try Canary.files(in: machine.directory.appending(component: "store")) == [])
    }

    @Test func `an item that a program has stored already is not imported again`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        let arguments = ["store", "--label=Own", "service", "imap", "user", "joe"]
        #expect(try machine.run("/usr/bin/secret-tool", arguments, input: "canary-own").ending == .exited(0))
        _ = try machine.stop(service)
        try keyring(on: machine) { _ in
            let output = try imports(machine)
            #expect(output.lines == ["added: 1", "skipped: 1", "left out: 0"])
        }
        let second = try machine.start()
        #expect(try machine.secretTool("lookup", "service", "imap").text == "canary-own")
        _ = try machine.stop(second)
    }

    @Test func `an imported item whose password a program sets belongs to that program`() throws {
        let machine = try SecretServiceMachine()
        try keyring(on: machine) { _ in _ = try imports(machine) }
        let service = try machine.start()
        let change = { (call: String) in
            let output = try machine.python(
                """
                import secretstorage
                bus = secretstorage.dbus_init()
                item, = secretstorage.get_default_collection(bus).search_items({'service': 'imap'})
                item.\(call)
                """
            )
            #expect(output.ending == .exited(0), "\(output.text)")
        }
        // A new label does not change who sees the password.
        try change("set_label('Renamed')")
        #expect(try machine.secretTool("lookup", "service", "imap").text == Self.secrets[0])
        try change("set_secret(b'canary-new')")
        #expect(try machine.secretTool("lookup", "service", "imap").text == "")
        #expect(try machine.python(Self.found).text == "canary-new")
        _ = try machine.stop(service)
    }

    @Test func `the commands of the documentation list and delete imported items`() throws {
        let machine = try SecretServiceMachine()
        try keyring(on: machine) { _ in _ = try imports(machine) }
        let count = { try machine.run("security", ["list"]).lines.count }
        #expect(try count() == 2)
        for code in [0, 0, 44] as [Int32] {
            let output = try machine.run("security", ["delete-generic-password", "-j", "imported"])
            #expect(output.ending == .exited(code), "\(output.text)")
        }
        #expect(try count() == 0)
    }

    @Test func `a locked keychain is not changed, and a locked collection is reported`() throws {
        let machine = try SecretServiceMachine()
        #expect(try machine.run("security", ["set", "a/b"], input: "canary").ending == .exited(0))
        try machine.setPasscode()
        try machine.lock()
        try keyring(on: machine) { keyring in
            let locked = try imports(machine)
            #expect(locked.ending == .exited(69))
            #expect(locked.text.contains("error: nothing was imported: the keychain is locked"))

            let unlock = ["unlock-keychain", "-p", SecretServiceMachine.passcode]
            #expect(try machine.run("security", unlock).ending == .exited(0))
            try keyring.lock()
            let output = try imports(machine)
            #expect(output.ending == .exited(0))
            #expect(output.text.contains("added: 0\nskipped: 0\nleft out: 1"), "\(output.text)")
            #expect(output.text.contains("it is locked, and the program that has it did not unlock it"))
        }
    }

    @Test func `this package's own service, a missing bus and --export are refused`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        let own = try imports(machine)
        #expect(own.ending == .exited(69) && own.text.contains("its items are in this keychain already"))
        _ = try machine.stop(service)
        let missing = try imports(
            SecretServiceMachine(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"])
        )
        #expect(missing.ending == .exited(69) && missing.text.contains("error: there is no session bus"))
        let both = try machine.run("keychain-secret-service", ["--import", "--export"])
        #expect(both.ending == .exited(64))
    }
}
