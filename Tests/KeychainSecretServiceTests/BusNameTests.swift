// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Another program owns the bus name, is replaced as its owner, or is reported by `security doctor`.
@Suite(SecretServiceMachine.isAvailable) struct BusNameTests {
    @Test(arguments: SecretServiceMachine.User.allCases)
    func `a second service ends with an error that names the first`(as user: SecretServiceMachine.User) throws
    {
        let machine = try SecretServiceMachine(as: user)
        let first = try machine.start()
        let second = try machine.run("keychain-secret-service", [])
        #expect(second.ending == .exited(69))
        #expect(second.text.contains("keychain-secret-service (process \(first.process)) already provides"))
        #expect(try machine.secretTool("search", "a", "1").ending == .exited(0))
        _ = try machine.stop(first)
    }

    @Test func `--replace takes the name, and the first service ends`() throws {
        let machine = try SecretServiceMachine()
        let first = try machine.start()
        let second = try machine.start(["--replace"])
        #expect(try first.wait() == .exited(0))
        let stored = try machine.secretTool("store", "--label=L", "a", "1", input: "canary")
        #expect(stored.ending == .exited(0))
        _ = try machine.stop(second)
    }

    @Test func `--replace reports a program that keeps the name`() throws {
        let machine = try SecretServiceMachine()
        let holder = try machine.hold("org.freedesktop.secrets")
        let service = try machine.run("keychain-secret-service", ["--replace"])
        #expect(service.ending == .exited(69))
        #expect(service.text.contains("(process \(holder.process)) already provides org.freedesktop.secrets"))
        #expect(service.text.contains("it cannot be replaced"))
        let doctor = try machine.run("security", ["doctor"])
        #expect(doctor.text.contains("python3"), "\(doctor.text)")
        #expect(
            doctor.text.contains("(process \(holder.process)) provides org.freedesktop.secrets, so other")
        )
        holder.end()
    }

    @Test func `doctor says that DBUS_SESSION_BUS_ADDRESS is not set`() throws {
        let machine = try SecretServiceMachine(["DBUS_SESSION_BUS_ADDRESS": ""])
        let doctor = try machine.run("security", ["doctor"])
        #expect(
            doctor.text.contains("secret service: not checked: DBUS_SESSION_BUS_ADDRESS is not set"),
            "\(doctor.text)"
        )
    }

    /// The service forbids core dumps, so its own user cannot read `/proc/PID/exe`; root can.
    @Test(arguments: SecretServiceMachine.User.allCases)
    func `doctor recognizes this package's service`(as user: SecretServiceMachine.User) throws {
        let machine = try SecretServiceMachine(as: user)
        let before = try machine.run("security", ["doctor"])
        #expect(before.text.contains("no program provides org.freedesktop.secrets"), "\(before.text)")
        let service = try machine.start()
        let during = try machine.run("security", ["doctor"])
        #expect(
            during.text.contains("ok       secret service: keychain-secret-service provides"),
            "\(during.text)"
        )
        _ = try machine.stop(service)
    }

    @Test(GnomeKeyring.isAvailable, arguments: SecretServiceMachine.User.allCases)
    func `doctor and the service name gnome-keyring, and doctor says what to do`(
        as user: SecretServiceMachine.User
    ) throws {
        let machine = try SecretServiceMachine(as: user)
        let keyring = try GnomeKeyring(on: machine)
        defer { keyring.end() }
        let doctor = try machine.run("security", ["doctor"])
        // Where gnome-keyring has file capabilities, only the first 15 bytes of its name are readable.
        #expect(doctor.text.contains("note     secret service: gnome-keyring-d"), "\(doctor.text)")
        #expect(doctor.text.contains("SecretService.md has the commands to use this keychain instead"))
        let service = try machine.run("keychain-secret-service", [])
        #expect(service.ending == .exited(69))
        #expect(service.text.contains("error: gnome-keyring-d"), "\(service.text)")
    }

    @Test func `without a bus, the service ends with an error`() throws {
        let machine = try SecretServiceMachine()
        let service = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" 2>&1", SecretServiceMachine.path("keychain-secret-service")],
            environment: machine.environment.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"]) { $1 }
        )
        #expect(try service.readLines().joined().contains("error: there is no session bus"))
        #expect(try service.wait() == .exited(69))
    }
}

extension SecretServiceMachine {
    func hold(_ name: String) throws -> ChildProcess {
        let program = """
            import sys
            from jeepney import message_bus
            from jeepney.io.blocking import open_dbus_connection
            bus = open_dbus_connection()
            bus.send_and_get_reply(message_bus.RequestName(sys.argv[1], 4))
            print('ready', flush=True)
            sys.stdin.read()
            """
        let holder = try launch("/usr/bin/python3", ["-c", program, name])
        guard try holder.readLine() == "ready" else { throw Failure(description: "the name is not owned") }
        return holder
    }
}
