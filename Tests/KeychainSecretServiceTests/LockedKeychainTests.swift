// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A keychain with a passcode: locked items, prompts and errors.
@Suite(SecretServiceMachine.isAvailable) struct LockedKeychainTests {
    /// Python code that defines `unlock`, which tries several times: a loaded machine may start the dialog too late.
    private static let start = """
        import secretstorage
        bus = secretstorage.dbus_init()
        login = secretstorage.get_default_collection(bus)

        def unlock(target):
            for attempt in range(10):
                if not target.unlock():
                    return
            assert False, 'not unlocked'

        """

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `a prompt unlocks a locked item`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let pinentry = try ScriptedPinentry([.passcode("wrong"), .passcode(SecretServiceMachine.passcode)])
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path], over: backend)
        let service = try machine.start()
        _ = try machine.python(Self.start + "login.create_item('L', {'a': '1'}, b'canary-secret')")
        try machine.setPasscode()
        try machine.lock()
        let output = try machine.python(
            Self.start
                + """
                item, = login.search_items({'a': '1'})
                assert login.is_locked() and item.is_locked() and item.get_label() == 'L'
                unlocked, locked = secretstorage.util.DBusAddressWrapper(
                    '/org/freedesktop/secrets', 'org.freedesktop.Secret.Service', bus).call(
                    'SearchItems', 'a{ss}', {'a': '1'})
                assert unlocked == [] and locked == [item.item_path]
                for call in (item.get_secret, lambda: login.create_item('M', {}, b'canary')):
                    try:
                        call()
                        assert False
                    except secretstorage.LockedException:
                        pass
                unlock(item)
                assert not item.is_locked() and not login.is_locked()
                assert item.get_secret() == b'canary-secret'
                login.lock()
                assert login.is_locked() and item.is_locked()
                """
        )
        #expect(output.ending == .exited(0), "\(output.text)")
        #expect(pinentry.descriptions.first?.contains("python3") == true)
        _ = try machine.stop(service)
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `a service that starts with a locked keychain finds items after a prompt`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let answers = [ScriptedPinentry.Answer](
            repeating: .passcode(SecretServiceMachine.passcode),
            count: 10
        )
        let pinentry = try ScriptedPinentry(answers)
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path], over: backend)
        let first = try machine.start()
        let secret = Canary.make("password")
        _ = try machine.secretTool("store", "--label=L", "service", "s", input: secret)
        _ = try machine.stop(first)
        try machine.setPasscode()
        try machine.lock()
        let second = try machine.start()
        var found = try machine.secretTool("lookup", "service", "s")
        for _ in 0..<10 where found.ending != .exited(0) {
            found = try machine.secretTool("lookup", "service", "s")
        }
        #expect(found.text == secret)
        #expect(pinentry.prompts >= 1)
        #expect(try machine.secretTool("lookup", "service", "t").ending == .exited(1))
        _ = try machine.stop(second)
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `a dismissed prompt leaves the keychain locked`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let pinentry = try ScriptedPinentry([])
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path], over: backend)
        let service = try machine.start()
        _ = try machine.python(Self.start + "login.create_item('L', {'a': '1'}, b'canary-secret')")
        try machine.setPasscode()
        try machine.lock()
        let output = try machine.python(
            Self.start
                + """
                item, = login.search_items({'a': '1'})
                assert item.unlock() == True  # dismissed
                assert item.is_locked()
                """
        )
        #expect(output.ending == .exited(0), "\(output.text)")
        _ = try machine.stop(service)
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `without a passcode, nothing can be locked`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let machine = try SecretServiceMachine(over: backend)
        let service = try machine.start()
        let output = try machine.python(
            Self.start
                + """
                item = login.create_item('L', {'a': '1'}, b'canary-secret')
                login.lock()
                assert not login.is_locked() and item.get_secret() == b'canary-secret'
                """
        )
        #expect(output.ending == .exited(0), "\(output.text)")
        _ = try machine.stop(service)
    }
}
