// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainSecretService

/// The items of one program are invisible to other programs.
@Suite(SecretServiceMachine.isAvailable) struct ProgramIdentityTests {
    private func copy(_ machine: SecretServiceMachine, _ name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(component: "i-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let program = folder.appending(component: name)
        // Other bytes at the end make another digest, and change nothing else.
        let bytes = try Data(contentsOf: URL(filePath: "/usr/bin/secret-tool")) + Data(name.utf8)
        try bytes.write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return program.path
    }

    @Test func `another program neither finds nor removes an item`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        let (one, two) = (try copy(machine, "one"), try copy(machine, "two"))
        defer {
            for path in [one, two] {
                try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
            }
        }
        let secret = Canary.make("password")
        let programs = ["/usr/bin/secret-tool", one, two]
        for program in programs {
            let stored = try machine.run(
                program,
                ["store", "--label=L", "a", "1"],
                input: "\(secret)-\(program)"
            )
            #expect(stored.ending == .exited(0), "\(stored.text)")
        }
        _ = try machine.run(two, ["clear", "a", "1"])
        #expect(try machine.run(one, ["lookup", "a", "1"]).text == "\(secret)-\(one)")
        #expect(try machine.secretTool("lookup", "a", "1").text == "\(secret)-\(programs[0])")
        #expect(try machine.run(two, ["lookup", "a", "1"]).ending == .exited(1))
        _ = try machine.stop(service)
    }

    @Test func `a collection of one program is invisible to other programs`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        let output = try machine.python(
            """
            import secretstorage
            bus = secretstorage.dbus_init()
            work = secretstorage.create_collection(bus, 'Work', alias='work')
            print(work.collection_path)
            """
        )
        let path = "/org/freedesktop/secrets/collection/Work"
        #expect(output.lines == [path])
        let seen = try machine.run(
            "/usr/bin/dbus-send",
            [
                "--session", "--print-reply", "--dest=org.freedesktop.secrets", path,
                "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.Secret.Collection",
                "string:Label",
            ]
        )
        #expect(seen.text.contains("org.freedesktop.Secret.Error.NoSuchObject"))
        _ = try machine.stop(service)
    }

    @Test func `with --shared, programs see all items, and later only their own again`() throws {
        let machine = try SecretServiceMachine()
        let one = try copy(machine, "one")
        defer { try? FileManager.default.removeItem(atPath: (one as NSString).deletingLastPathComponent) }
        let secret = Canary.make("password")
        for (options, isFound) in [(["--shared"], true), ([], false), (["--shared"], true)] {
            let service = try machine.start(options)
            _ = try machine.run(one, ["store", "--label=L", "a", "1"], input: secret)
            let found = try machine.secretTool("lookup", "a", "1")
            #expect(found.text == (isFound ? secret : ""))
            _ = try machine.stop(service)
        }
    }

    /// An update of a package deletes the executable of a running program; a program of an AppImage is as unknown.
    @Test func `with --shared, a program that cannot be identified sees the shared items, without it none`()
        throws
    {
        let machine = try SecretServiceMachine()
        for options in [[], ["--shared"]] {
            let service = try machine.start(options)
            let one = try copy(machine, "one")
            let folder = (one as NSString).deletingLastPathComponent
            // The program connects to the bus only after it has read the password.
            let child = try machine.launch(one, ["store", "--label=L", "deleted", "yes"])
            for _ in 0..<600
            where (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child.process)/exe"))
                != one
            {
                usleep(100_000)
            }
            try FileManager.default.removeItem(atPath: folder)
            try child.send("canary-deleted")
            child.finishInput()
            #expect(try child.wait() == .exited(options.isEmpty ? 1 : 0))
            let found = try machine.secretTool("lookup", "deleted", "yes")
            #expect(found.text == (options.isEmpty ? "" : "canary-deleted"))
            _ = try machine.stop(service)
        }
    }

    /// The files of such a program in `/proc` are unreadable, so it may be in a sandbox.
    @Test(arguments: SecretServiceMachine.User.allCases.filter { $0 != .current || geteuid() != 0 })
    func `also with --shared, a program that forbids core dumps sees no item`(
        as user: SecretServiceMachine.User
    ) throws {
        let machine = try SecretServiceMachine(as: user)
        let service = try machine.start(["--shared"])
        let output = try machine.python(
            """
            import ctypes, secretstorage
            def label():
                bus = secretstorage.dbus_init()
                return secretstorage.get_default_collection(bus).get_label()
            assert label() == 'Login'
            assert ctypes.CDLL(None).prctl(4, 0) == 0  # PR_SET_DUMPABLE
            try:
                label()
            except Exception as error:
                print(error)
            """
        )
        #expect(output.text.contains("cannot be identified"), "\(output.text)")
        _ = try machine.stop(service)
    }

    @Test func `programs in a sandbox do not see imported items`() {
        for isSandboxed in [true, false] {
            let scope = OwnerScope(owners: ["program:/a"], seesAll: false, seesImported: !isSandboxed)
            #expect(scope.sees(OwnerScope.imported) == !isSandboxed)
            #expect(scope.sees("program:/a") && !scope.sees("program:/b") && scope.sees(""))
        }
    }

    @Test func `a copy of an installed program has another identity than the program`() throws {
        let machine = try SecretServiceMachine()
        let one = try copy(machine, "one")
        defer { try? FileManager.default.removeItem(atPath: (one as NSString).deletingLastPathComponent) }
        let identifier = ClientIdentifier(isShared: false)
        for (program, prefix) in [("/usr/bin/sleep", "program:/usr/bin/sleep"), (one, "unsigned.")] {
            let arguments = program == one ? ["store", "--label=L", "a", "1"] : ["600"]
            let child = try ChildProcess(program, arguments, environment: machine.environment)
            defer { child.end() }
            // The process may not have started the program yet.
            var scope = identifier.identify(child.process)?.scope
            for _ in 0..<600 where scope?.owner.hasPrefix(prefix) != true {
                usleep(100_000)
                scope = identifier.identify(child.process)?.scope
            }
            #expect(scope?.owner.hasPrefix(prefix) == true, "\(scope?.owner ?? "not identified")")
        }
    }
}
