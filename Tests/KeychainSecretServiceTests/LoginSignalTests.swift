// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@Suite(SecretServiceMachine.isAvailable) struct LoginSignalTests {
    /// A Python program that plays logind, and sends the signal that a line of its input names.
    ///
    /// To the line `inhibited` it prints whether an inhibitor is held.
    private static let logind = """
        import os, select, sys
        from jeepney import (DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal)
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection(enable_fds=True)
        bus.send_and_get_reply(message_bus.RequestName('org.freedesktop.login1', 4))
        manager = DBusAddress('/org/freedesktop/login1', interface='org.freedesktop.login1.Manager')
        sessions = [('1', os.geteuid(), 'joe', 'seat0', '/s/own'), ('2', 4242, 'ann', 'seat0', '/s/other')]
        properties = 'org.freedesktop.DBus.Properties'

        def hint(path, name, value):
            body = ('org.freedesktop.login1.Session', {name: ('b', value)}, [])
            return DBusAddress(path, interface=properties), 'PropertiesChanged', 'sa{sv}as', body

        signals = {
            'hint-own': hint('/s/own', 'LockedHint', True),
            'hint-other': hint('/s/other', 'LockedHint', True),
            'hint-unlocked': hint('/s/own', 'LockedHint', False),
            'hint-idle': hint('/s/own', 'IdleHint', True),
            'lock-own': (DBusAddress('/s/own', interface='org.freedesktop.login1.Session'), 'Lock', None, ()),
            'lock-other': (DBusAddress('/s/other', interface='org.freedesktop.login1.Session'), 'Lock', None, ()),
            'sleep': (manager, 'PrepareForSleep', 'b', (True,)),
            'wake': (manager, 'PrepareForSleep', 'b', (False,)),
            'removed': (manager, 'SessionRemoved', 'so', ('9', '/s/nine')),
        }
        inhibitors, held = [], []

        def answer(message):
            fields = message.header.fields
            member, path = fields[HeaderFields.member], fields[HeaderFields.path]
            if member == 'Get':
                user = [s[1] for s in sessions if s[4] == path][0]
                return new_method_return(message, 'v', (('(uo)', (user, '/u')),))
            if member == 'ListSessions':
                return new_method_return(message, 'a(susso)', (sessions,))
            if member == 'Inhibit':
                reading, writing = os.pipe()
                inhibitors.append(reading)
                held.append(writing)
                return new_method_return(message, 'h', (writing,))
            return new_error(message, 'org.freedesktop.DBus.Error.UnknownMethod')

        def perform(line):
            if line == 'logout':
                sessions.pop(0)
                line = 'removed'
            if line == 'inhibited':
                # The pipe of a released inhibitor is at its end.
                print(bool(inhibitors) and not select.select(inhibitors[-1:], [], [], 0)[0], flush=True)
            else:
                bus.send_message(new_signal(*signals[line]))

        print('ready', flush=True)
        text = b''
        while True:
            readable, _, _ = select.select([bus.sock, 0], [], [])
            if 0 in readable:
                more = os.read(0, 4096)
                if not more:
                    break
                *lines, text = (text + more).split(b'\\n')
                for line in lines:
                    perform(line.decode())
            while True:
                # One read can bring several messages.
                try:
                    message = bus.receive(timeout=0)
                except TimeoutError:
                    break
                if message.header.message_type == MessageType.method_call:
                    bus.send_message(answer(message))
                    while held:
                        os.close(held.pop())
        """

    private static let state = """
        import secretstorage
        bus = secretstorage.dbus_init()
        print(secretstorage.get_default_collection(bus).is_locked())
        """

    /// Runs the test with a service whose system bus is the test's bus, on which a program plays logind.
    private func run(_ body: (SecretServiceMachine, ChildProcess) throws -> Void) throws {
        let machine = try SecretServiceMachine()
        let logind = try machine.launch("/usr/bin/python3", ["-c", Self.logind])
        defer { logind.end() }
        guard try logind.readLine() == "ready" else {
            throw SecretServiceMachine.Failure(description: "logind does not start")
        }
        let address = try #require(machine.environment["DBUS_SESSION_BUS_ADDRESS"])
        let service = try machine.start([], ["DBUS_SYSTEM_BUS_ADDRESS": address])
        _ = try machine.secretTool("store", "--label=L", "a", "1", input: "canary")
        try machine.setPasscode()
        try body(machine, logind)
        #expect(try machine.stop(service) == .exited(0))
    }

    private func isLocked(_ machine: SecretServiceMachine) throws -> Bool {
        let output = try machine.python(Self.state)
        #expect(output.ending == .exited(0), "\(output.text)")
        return output.text == "True"
    }

    private func waitUntilLocked(_ machine: SecretServiceMachine) throws {
        for _ in 0..<600 {
            if try isLocked(machine) { return }
            usleep(100_000)
        }
        Issue.record("the keychain is not locked")
    }

    private func unlock(_ machine: SecretServiceMachine) throws {
        let output = try machine.run("security", ["unlock-keychain", "-p", SecretServiceMachine.passcode])
        #expect(output.ending == .exited(0))
    }

    /// GNOME locks the screen itself: logind then only sets the session's `LockedHint`.
    @Test(arguments: ["lock-own", "hint-own", "sleep", "logout"])
    func `a signal of logind locks the keychain`(signal: String) throws {
        try run { machine, logind in
            #expect(try !isLocked(machine))
            try logind.send(signal)
            try waitUntilLocked(machine)
        }
    }

    @Test func `signals about another user's session, or about unlocking, do not lock the keychain`() throws {
        let signals = ["lock-other", "hint-other", "hint-unlocked", "hint-idle", "removed", "wake"]
        try run { machine, logind in
            for signal in signals { try logind.send(signal) }
            // The service handles signals in order, so once `sleep` has locked the keychain, it has handled the others.
            try logind.send("sleep")
            try waitUntilLocked(machine)
            try unlock(machine)
            for signal in signals { try logind.send(signal) }
            for _ in 0..<20 { #expect(try !isLocked(machine)) }
        }
    }

    @Test func `sleep is delayed until the keychain is locked`() throws {
        try run { machine, logind in
            #expect(try logind.ask("inhibited") == "True")
            try logind.send("sleep")
            try waitUntilLocked(machine)
            for _ in 0..<600 where try logind.ask("inhibited") == "True" { usleep(100_000) }
            #expect(try logind.ask("inhibited") == "False")
            try logind.send("wake")
            for _ in 0..<600 where try logind.ask("inhibited") == "False" { usleep(100_000) }
            #expect(try logind.ask("inhibited") == "True")
        }
    }
}
