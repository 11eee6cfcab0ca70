// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct ConstrainedGoldenStoreTests {
    private typealias Contents = ConstrainedGoldenContents
    private static let caller = Caller(applicationIdentifier: "golden", accessGroups: [Caller.everyGroup])

    @Test(arguments: GoldenStore.constrained)
    func `a golden store with access controls is readable with the passcode`(name: String) throws {
        let expected = try GoldenStore.contents(of: name)
        #expect(expected.items.count { $0.constraints != nil } >= 9)
        #expect(expected.items.contains { $0.constraints == nil && !$0.tombstone })
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            try keychain.unlock(with: SecretBytes(Contents.passcode))
            let credential = try Contents.credential(of: keychain)
            let dump = try StoreDump(keychain, with: credential)
            #expect(dump.store == expected.store)
            #expect(dump.items.count == expected.items.count)
            for (item, expected) in zip(dump.items, expected.items) { #expect(item == expected) }
            try keychain.lock()
        }
    }

    @Test(arguments: GoldenStore.constrained)
    func `each item of a golden store requires what its access control specifies`(name: String) throws {
        let items = try GoldenStore.contents(of: name).items.filter { !$0.tombstone }
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            for item in items where !item.protection.hasPrefix("dk") {
                expect(.interactionNotAllowed) { try item.read(in: keychain, for: Self.caller, with: .none) }
            }
            try keychain.unlock(with: SecretBytes(Contents.passcode))
            let proof = try Contents.credential(of: keychain)
            let user = Credential(accessControlKey: proof.accessControlKey)
            let password = Credential(applicationPassword: proof.applicationPassword)
            for item in items {
                let control = AccessControl(protection: .always, flags: item.constraints ?? 0)
                for (credential, isEnough) in [
                    (Credential.none, !control.requiresCredential),
                    (user, !control.needsApplicationPassword),
                    (password, !control.needsUserAuthentication), (proof, true),
                ] {
                    if isEnough {
                        #expect(
                            try item.read(in: keychain, for: Self.caller, with: credential).map { .init($0) }
                                == [item]
                        )
                    } else {
                        #expect(throws: control.authenticationNeeded) {
                            try item.read(in: keychain, for: Self.caller, with: credential)
                        }
                    }
                }
            }
            try keychain.lock()
        }
    }

    @Test(arguments: GoldenStore.constrained)
    func `an item with an access control is added to a golden store without authentication`(
        name: String
    ) throws {
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            try keychain.unlock(with: SecretBytes(Contents.passcode))
            let control = AccessControl(protection: .whenUnlocked, flags: 1)
            let item = Contents.item("added", control)
            _ = try keychain.perform(.add(item), for: SampleStore.caller)
            let filter = ItemFilter(itemClass: .genericPassword, attributes: item.attributes)
            let copy = Request.copy(CopyRequest(filter: filter, returning: .data))
            #expect(throws: control.authenticationNeeded) {
                try keychain.perform(copy, for: SampleStore.caller)
            }
            let credential = try Contents.credential(of: keychain)
            let response = try keychain.perform(copy, for: SampleStore.caller, with: credential)
            guard case .items(let found) = response else { return }
            #expect(found.map(\.secret) == [item.secret])
            try keychain.lock()
        }
    }
}

/// The contents of a golden store (a fixture) whose items have access controls.
///
/// Some items were added before a change of the passcode, and some after it.
enum ConstrainedGoldenContents {
    static let passcode = "later golden passcode"
    static let password = "golden application password"
    private static let firstPasscode = "golden passcode"

    // swift-format-ignore
    /// Access controls with each kind of key wrapping, and with single and combined constraints.
    static let controls: [(account: String, control: AccessControl)] = [
        ("presence",               AccessControl(protection: .whenUnlocked,               flags: 1)),
        ("passcode",               AccessControl(protection: .afterFirstUnlock,           flags: 1 << 4)),
        ("password",               AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: 1 << 31)),
        ("presence and password",  AccessControl(protection: .always,                     flags: 1 << 31 | 1)),
        ("passcode and password",  AccessControl(protection: .whenPasscodeSetThisDeviceOnly, flags: 1 << 31 | 1 << 15 | 1 << 4)),
        ("biometry or passcode",   AccessControl(protection: .alwaysThisDeviceOnly,       flags: 1 << 14 | 1 << 4 | 1 << 1)),
        ("watch or passcode",      AccessControl(protection: .afterFirstUnlockThisDeviceOnly, flags: 1 << 14 | 1 << 5 | 1 << 4)),
        ("presence to use a key",  AccessControl(protection: .whenUnlocked,               flags: 1 << 30 | 1)),
    ]

    static func item(_ account: String, _ control: AccessControl?, _ secret: SecretBuffer? = nil) -> NewItem {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        return NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: secret ?? SecretBuffer("secret of \(account)".utf8),
            accessControl: control
        )
    }

    /// Returns a credential that opens every item: the passcode and the application password.
    static func credential(
        of keychain: EmbeddedKeychain,
        _ passcode: String = passcode,
        _ password: String = password
    ) throws -> Credential {
        Credential(
            accessControlKey: try keychain.authenticate(with: SecretBytes(passcode)),
            applicationPassword: ApplicationPassword(SecretBytes(password))
        )
    }

    static func add(to keychain: EmbeddedKeychain, with credential: Credential) throws {
        for (account, control) in controls {
            _ = try keychain.perform(.add(item(account, control)), for: SampleStore.caller, with: credential)
        }
    }

    static let files = Result {
        let store = try SampleStore(filling: SampleStore.samples)
        let keychain = try store.open()
        try keychain.setPasscode(SecretBytes(firstPasscode), cost: PasscodeCost(doublings: 10))
        let credential = try Self.credential(of: keychain, firstPasscode)
        try add(to: keychain, with: credential)
        try addItemsWithAPast(to: keychain, with: credential)
        try keychain.changePasscode(
            from: SecretBytes(firstPasscode),
            to: SecretBytes(passcode),
            cost: PasscodeCost(doublings: 10)
        )
        let later = item(
            "after the change",
            AccessControl(protection: .whenUnlocked, flags: 1),
            SecretBuffer()
        )
        _ = try keychain.perform(.add(later), for: SampleStore.caller)
        try keychain.lock()
        return try store.contents()
    }

    /// Adds items and changes their attributes, value or constraints; also adds an item without a value.
    private static func addItemsWithAPast(to keychain: EmbeddedKeychain, with credential: Credential) throws {
        let presence = AccessControl(protection: .whenUnlocked, flags: 1)
        typealias Change = (ItemFilter) -> UpdateRequest
        let changes: [(account: String, control: AccessControl?, change: Change)] = [
            ("changed label", presence, { UpdateRequest(filter: $0, attributes: [.label: "later label"]) }),
            (
                "changed value", presence,
                { UpdateRequest(filter: $0, secret: SecretBuffer([UInt8](repeating: 7, count: 300))) }
            ),
            ("constrained later", nil, { UpdateRequest(filter: $0, accessControl: presence) }),
            ("freed later", presence, { UpdateRequest(filter: $0, attributes: [.accessible: "ck"]) }),
        ]
        for (account, control, change) in changes {
            let item = item(account, control)
            _ = try keychain.perform(.add(item), for: SampleStore.caller)
            let filter = ItemFilter(itemClass: .genericPassword, attributes: item.attributes)
            _ = try keychain.perform(.update(change(filter)), for: SampleStore.caller, with: credential)
        }
        var internet = Attributes()
        internet[.account] = .string("without a value")
        internet[.server] = .string("constrained.example")
        let item = NewItem(
            itemClass: .internetPassword,
            attributes: internet,
            secret: nil,
            accessControl: presence
        )
        _ = try keychain.perform(.add(item), for: SampleStore.caller)
    }
}
