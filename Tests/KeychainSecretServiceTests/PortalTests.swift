// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The secrets of sandboxed applications, through `org.freedesktop.impl.portal.Secret`.
@Suite(SecretServiceMachine.isAvailable) struct PortalTests {
    private static let start = """
        import os, sys
        from jeepney import DBusAddress, new_method_call, MessageType, message_bus
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection(enable_fds=True)
        address = DBusAddress('/org/freedesktop/portal/desktop', 'org.freedesktop.impl.portal.desktop.keychain',
                              'org.freedesktop.impl.portal.Secret')

        def retrieve(application):
            reading, writing = os.pipe()
            message = new_method_call(address, 'RetrieveSecret', 'osha{sv}', ('/request', application, writing, {}))
            reply = bus.send_and_get_reply(message, timeout=600)
            os.close(writing)
            secret = os.read(reading, 1000)
            os.close(reading)
            if reply.header.message_type == MessageType.error:
                return reply.header.fields[4], secret
            return reply.body[0], secret

        """
    private static let frontEnd = """
        bus.send_and_get_reply(message_bus.RequestName('org.freedesktop.portal.Desktop', 4))

        """

    @Test func `each application has its own key, which stays the same`() throws {
        let machine = try SecretServiceMachine()
        let program =
            Self.start + Self.frontEnd
                + """
                one, two = retrieve('org.example.One'), retrieve('org.example.Two')
                assert one[0] == two[0] == 0 and len(one[1]) == len(two[1]) == 64 and one[1] != two[1]
                assert retrieve('org.example.One') == one
                print(one[1].hex())
                """
        var keys: Set<String> = []
        for _ in 0..<2 {
            let service = try machine.start()
            let output = try machine.python(program)
            #expect(output.ending == .exited(0), "\(output.text)")
            keys.insert(output.text)
            _ = try machine.stop(service)
        }
        #expect(keys.count == 1)
    }

    @Test func `beside another program's Secret Service, the portal is served alone`() throws {
        let machine = try SecretServiceMachine()
        let holder = try machine.hold("org.freedesktop.secrets")
        let portal = try machine.start(["--portal-only"])
        let program = Self.start + Self.frontEnd + "print(retrieve('org.example.One')[1].hex())"
        let first = try machine.python(program)
        #expect(first.text.count == 128, "\(first.text)")
        holder.end()

        // The Secret Service starts while another process serves the portal and keeps the portal's bus name.
        let service = try machine.start()
        #expect(try machine.secretTool("store", "--label=L", "a", "1", input: "canary").ending == .exited(0))
        #expect(try machine.stop(service) == .exited(0))
        #expect(try machine.python(program).text == first.text)
        #expect(try machine.stop(portal) == .exited(0))
    }

    @Test func `options that leave nothing to serve are refused`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.run("keychain-secret-service", ["--no-portal", "--portal-only"])
        #expect(service.ending == .exited(64))
    }

    /// xdg-desktop-portal before 1.17 ignores a file without `UseIn`.
    @Test func `the packaged files name the portal's interface, names and unit`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../Packaging").standardizedFileURL
        func lines(_ path: String) throws -> [String] {
            try String(contentsOf: root.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
        }
        let name = "org.freedesktop.impl.portal.desktop.keychain"
        let portal = try lines("portals/keychain.portal")
        for line in ["DBusName=\(name)", "Interfaces=org.freedesktop.impl.portal.Secret", "UseIn=keychain"] {
            #expect(portal.contains(line))
        }
        let activation = try lines("dbus/\(name).service")
        #expect(activation.contains("SystemdService=keychain-secret-portal.service"))
        #expect(try lines("systemd/user/keychain-secret-portal.service").contains("BusName=\(name)"))
    }

    @Test func `an empty or malformed application ID gets no key`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        let output = try machine.python(
            Self.start + Self.frontEnd
                + """
                for application in ('', 'a b', 'a/b', 'é', 'x' * 256):
                    assert retrieve(application) == (2, b''), application
                """
        )
        #expect(output.ending == .exited(0), "\(output.text)")
        _ = try machine.stop(service)
    }

    @Test func `only the portal's front end gets a key`() throws {
        let machine = try SecretServiceMachine()
        let service = try machine.start()
        let output = try machine.python(Self.start + "print(retrieve('org.example.One'))")
        #expect(output.text == "('org.freedesktop.DBus.Error.AccessDenied', b'')")
        _ = try machine.stop(service)
    }

    @Test func `a locked keychain is unlocked by a prompt first`() throws {
        let answers = [ScriptedPinentry.Answer](
            repeating: .passcode(SecretServiceMachine.passcode),
            count: 10
        )
        let pinentry = try ScriptedPinentry(answers)
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path])
        let service = try machine.start()
        let program =
            Self.start + Self.frontEnd
                + """
                # A loaded machine may start the dialog too late.
                found = [retrieve('org.example.One') for _ in range(10)]
                print({secret.hex() for code, secret in found if code == 0})
                """
        let before = try machine.python(program)
        try machine.setPasscode()
        try machine.lock()
        let after = try machine.python(program)
        #expect(before.text == after.text)
        #expect(pinentry.descriptions.first?.contains("org.example.One") == true)
        _ = try machine.stop(service)
    }

    /// Sends several calls at a time, and collects the replies by the serial number of the call.
    private static let concurrent = """
        from jeepney import HeaderFields
        replies = {}

        def send(message):
            serial = next(bus.outgoing_serial)
            bus.send(message, serial=serial)
            return serial

        def receive(timeout):
            message = bus.receive(timeout=timeout)
            replies[message.header.fields.get(HeaderFields.reply_serial)] = message

        def wait(serial):
            while serial not in replies:
                receive(600)
            reply = replies[serial]
            if reply.header.message_type == MessageType.error:
                return reply.header.fields[HeaderFields.error_name].split('.')[-1]
            return reply.body[0] if reply.body else None

        def begin(path, application):
            reading, writing = os.pipe()
            body = (path, application, writing, {})
            serial = send(new_method_call(address, 'RetrieveSecret', 'osha{sv}', body))
            os.close(writing)
            os.close(reading)
            return serial

        def close(path, by=None):
            request = DBusAddress(path, address.bus_name, 'org.freedesktop.impl.portal.Request')
            message = new_method_call(request, 'Close')
            if by is None:
                return wait(send(message))
            return by.send_and_get_reply(message, timeout=600).header.fields[HeaderFields.error_name]

        def begin_shown(path, application):
            # A loaded machine may start the dialog too late.
            for attempt in range(10):
                serial = begin(path, application)
                while serial not in replies:
                    if os.path.exists(sys.argv[1]) and 'GETPIN' in open(sys.argv[1]).read():
                        return serial
                    try:
                        receive(0.1)
                    except TimeoutError:
                        pass
            assert False, 'no dialog'

        """

    @Test func `the portal closes the dialog of an application that gives up, and others get their turn`()
        throws
    {
        let passcodes = [ScriptedPinentry.Answer](
            repeating: .passcode(SecretServiceMachine.passcode),
            count: 10
        )
        // The first dialog ends only when the service closes it.
        let pinentry = try ScriptedPinentry([.shell("read -r line; exit")] + passcodes)
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path])
        let service = try machine.start()
        _ = try machine.secretTool("store", "--label=L", "a", "1", input: "canary")
        try machine.setPasscode()
        try machine.lock()
        let output = try machine.python(
            Self.start + Self.frontEnd + Self.concurrent
                + """
                one = [begin_shown('/request/0', 'org.example.One')]
                one += [begin(f'/request/{number}', 'org.example.One') for number in (1, 2, 3)]
                assert wait(begin('/request/4', 'org.example.One')) == 2  # too many requests of one application
                two = begin('/request/5', 'org.example.Two')
                assert close('/request/none') == 'NoSuchObject'
                assert close('/request/0', open_dbus_connection()).endswith('AccessDenied')
                assert all(serial not in replies for serial in one + [two])
                for number in range(4):
                    assert close(f'/request/{number}') is None
                assert [wait(serial) for serial in one] == [2] * 4
                assert close('/request/0') == 'NoSuchObject'
                for attempt in range(10):
                    if wait(two) != 1:
                        break
                    two = begin('/request/5', 'org.example.Two')
                # The pipe was closed, so the key cannot be written, but the keychain is unlocked.
                assert wait(two) == 2
                code, key = retrieve('org.example.Two')
                assert code == 0 and len(key) == 64
                """,
            pinentry.directory.path + "/log"
        )
        #expect(output.ending == .exited(0), "\(output.text)")
        #expect(try machine.stop(service) == .exited(0))
    }

    @Test func `closed requests count until their threads have ended`() throws {
        let passcodes = [ScriptedPinentry.Answer](
            repeating: .passcode(SecretServiceMachine.passcode),
            count: 10
        )
        let pinentry = try ScriptedPinentry([.shell("read -r line; exit")] + passcodes)
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path])
        let service = try machine.start()
        _ = try machine.secretTool("store", "--label=L", "a", "1", input: "canary")
        try machine.setPasscode()
        try machine.lock()
        let output = try machine.python(
            Self.start + Self.frontEnd + Self.concurrent
                + """
                shown = begin_shown('/request/shown', 'org.example.One')
                closed = 0
                for round in range(1000):
                    serial = begin('/request/1', 'org.example.Two')
                    if close('/request/1') is None:
                        closed += 1
                    assert wait(serial) == 2
                assert closed == 4, closed
                assert shown not in replies
                assert close('/request/shown') is None
                # The threads end one after another; until then, the application is refused.
                cancelled = 0
                while (code := retrieve('org.example.Two')[0]) != 0:
                    cancelled += code == 1  # A loaded machine may start the dialog too late.
                    assert cancelled < 10
                """,
            pinentry.directory.path + "/log"
        )
        #expect(output.ending == .exited(0), "\(output.text)")
        #expect(try machine.stop(service) == .exited(0))
    }
}
