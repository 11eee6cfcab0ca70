// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct AccessControlSealingTests {
    private let keys = StoreKeys(.random())
    private let key: AccessControlKey
    private let page: LockPage
    private let classKeys: KeySession
    private static let presence = AccessControl(protection: .whenUnlocked, flags: 1)

    private static let attributes: Attributes = {
        var attributes = Attributes()
        attributes[.account] = .string("canary")
        return attributes
    }()

    init() throws {
        let passcode = try PasscodeDerivation.make(
            for: SecretBytes("canary"),
            cost: LockedStore.cost,
            with: keys
        )
        page = LockPage(under: passcode)
        key = try page.accessControlKey(under: passcode, with: keys)
        classKeys = KeySession(Keybag.random(with: keys))
    }

    private func sealer(_ credential: Credential) -> ItemSealer {
        ItemSealer(keys: keys, credential: credential)
    }

    private func columns(version: UInt64 = 1) -> ItemColumns {
        ItemColumns(
            item: .random(),
            identity: ItemIdentity(.genericPassword, in: .random(), digest: .random()),
            version: version,
            protection: .whenUnlocked,
            synchronizable: false,
            tombstone: false,
            digests: []
        )
    }

    /// Returns an item sealed with the access control `control`; sealing needs no authentication.
    private func row(
        _ control: AccessControl = presence,
        _ columns: ItemColumns? = nil,
        for recipient: RecipientPublicKey? = nil
    ) throws -> ItemRow {
        let columns = columns ?? self.columns()
        let sealer = sealer(.none)
        let keyWrapper = try sealer.keyWrapper(for: control, recipient: recipient ?? key.recipient)
        let secret = SecretBuffer("canary".utf8)
        return try sealer.seal(
            Self.attributes,
            secret: secret,
            columns: columns,
            under: keyWrapper,
            with: classKeys
        )
        .row
    }

    private func secret(_ row: ItemRow, _ credential: Credential) throws -> SecretBuffer? {
        let sealer = sealer(credential)
        return try sealer.decryptedValue(of: sealer.open(row, with: classKeys))
    }

    @Test mutating func `an item is sealed without the key that opens it`() throws {
        let row = try row()
        #expect(throws: Self.presence.authenticationNeeded) { try secret(row, .none) }
        #expect(try secret(row, Credential(accessControlKey: key)) == SecretBuffer("canary".utf8))
        let opened = try sealer(Credential(accessControlKey: key)).open(row, with: classKeys)
        #expect(opened.accessControl == Self.presence)
        #expect(opened.attributes[.account] == .string("canary"))
        #expect(try sealer(.none).accessControl(of: row, with: classKeys) == Self.presence)
    }

    @Test mutating func `keys of another store or passcode do not open an item`() throws {
        let row = try row()
        let others = [try Self().key, try Self().key]
        for other in others {
            #expect(throws: Self.presence.authenticationNeeded) {
                try secret(row, Credential(accessControlKey: other))
            }
        }
        let passcode = try PasscodeDerivation.make(
            for: SecretBytes("canary"),
            cost: LockedStore.cost,
            with: keys
        )
        let later = try LockPage(under: passcode).accessControlKey(under: passcode, with: keys)
        #expect(throws: Self.presence.authenticationNeeded) {
            try secret(row, Credential(accessControlKey: later))
        }
    }

    @Test mutating func `every byte of both records is authenticated`() throws {
        let row = try row()
        let credential = Credential(accessControlKey: key)
        for place in row.attributes.indices {
            var damaged = row
            damaged.attributes[place] ^= 0x80
            #expect(throws: StatusError(.undecodable, .recordDamaged), "byte \(place)") {
                try secret(damaged, credential)
            }
        }
        for place in try #require(row.secret).indices {
            var damaged = row
            damaged.secret?[place] ^= 1
            #expect(throws: StatusError(.undecodable, .recordDamaged), "byte \(place)") {
                try secret(damaged, credential)
            }
        }
        for count in [0, 1, 100, 153, 161, 297, 300, row.attributes.count - 1] {
            var damaged = row
            damaged.attributes = Array(row.attributes.prefix(count))
            #expect(throws: StatusError(.undecodable, .recordDamaged)) { try secret(damaged, credential) }
        }
    }

    @Test mutating func `an access control cannot be exchanged, rolled back or removed`() throws {
        let place = columns()
        let strict = try row(AccessControl(protection: .whenUnlocked, flags: 1 << 1), place)
        let credential = Credential(accessControlKey: key)
        // The credential proves the passcode, which does not satisfy the access control's biometry constraint.
        #expect(throws: StatusError.self) { try secret(strict, credential) }
        var later = place
        later.version = 2
        for lax in [try row(Self.presence, place), try row(), try row(Self.presence, later)] {
            var swapped = strict
            swapped.attributes.replaceSubrange(1..<153, with: lax.attributes[1..<153])
            #expect(throws: StatusError(.undecodable, .recordDamaged)) { try secret(swapped, credential) }
        }
        var stripped = strict
        stripped.attributes.removeSubrange(1..<153)
        stripped.attributes[0] = 1
        #expect(throws: StatusError(.undecodable, .recordDamaged)) { try secret(stripped, credential) }
    }

    @Test func `the public key belongs to one lock page`() throws {
        let box = key.recipient.sealed(beside: page, with: keys)
        #expect(RecipientPublicKey(opening: box, beside: page, with: keys) == key.recipient)
        let passcode = try PasscodeDerivation.make(
            for: SecretBytes("canary"),
            cost: LockedStore.cost,
            with: keys
        )
        let other = LockPage(under: passcode)
        #expect(RecipientPublicKey(opening: box, beside: other, with: keys) == nil)
        #expect(RecipientPublicKey(opening: box, beside: page, with: StoreKeys(.random())) == nil)
        for place in box.indices {
            var damaged = box
            damaged[place] ^= 1
            #expect(RecipientPublicKey(opening: damaged, beside: page, with: keys) == nil)
        }
    }

    @Test mutating func `an application password wraps the item's key separately`() throws {
        let control = AccessControl(protection: .whenUnlocked, flags: 1 << 31 | 1)
        let password = Credential(
            accessControlKey: key,
            applicationPassword: ApplicationPassword(SecretBytes("canary password"))
        )
        #expect(throws: control.authenticationNeeded) {
            try self.sealer(.none).keyWrapper(for: control, recipient: key.recipient)
        }
        // `keyWrapper` fails until the key of the application password has been derived. Callers derive the key
        // while they hold no lock, because the derivation is slow.
        let sealer = sealer(password)
        #expect(throws: StatusError.self) { try sealer.keyWrapper(for: control, recipient: key.recipient) }
        #expect(try password.applicationPassword?.deriveMissing(with: keys) == true)
        #expect(try password.applicationPassword?.deriveMissing(with: keys) == false)
        let keyWrapper = try sealer.keyWrapper(for: control, recipient: key.recipient)
        let row = try self.sealer(.none).seal(
            Self.attributes,
            secret: nil,
            columns: columns(),
            under: keyWrapper,
            with: classKeys
        ).row
        #expect(try sealer.open(row, with: classKeys).attributes[.account] == .string("canary"))
        for incomplete in [
            Credential(accessControlKey: key), Credential(applicationPassword: password.applicationPassword),
        ] {
            #expect(throws: control.authenticationNeeded) {
                try self.sealer(incomplete).open(row, with: classKeys)
            }
        }
        let wrong = Credential(
            accessControlKey: key,
            applicationPassword: ApplicationPassword(SecretBytes("canary"))
        )
        #expect(throws: StatusError.self) { try self.sealer(wrong).open(row, with: classKeys) }
        #expect(try wrong.applicationPassword?.deriveMissing(with: keys) == true)
        #expect(throws: StatusError(.authenticationFailed, .applicationPasswordWrong)) {
            try self.sealer(wrong).open(row, with: classKeys)
        }
    }

    /// A finger yields no key, so the item is sealed with its class key, and its constraints are part of the
    /// associated data.
    @Test mutating func `an item that a finger opens has no key of its own`() throws {
        let control = AccessControl(protection: .whenUnlocked, flags: 1 << 1)
        let row = try row(control)
        #expect(row.attributes.count < (try self.row()).attributes.count)
        #expect(throws: control.fingerNeeded) { try secret(row, .none) }
        let finger = Credential(finger: FingerEvidence(isExamined: true, enrolled: .zero, recognized: .zero))
        #expect(try secret(row, finger) == SecretBuffer("canary".utf8))
        // Decrypting the value without the attributes would bypass the constraints, so it is impossible, too.
        #expect(SealedValue(of: row) === nil)
        for suite in [UInt8(1), 0x82] {
            var stripped = row
            stripped.attributes = [suite] + row.attributes.dropFirst(153)
            stripped.secret?[0] = suite
            let sealer = sealer(.none)
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try sealer.open(stripped, with: classKeys)
            }
            #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                try SealedValue(of: stripped)?.open(with: classKeys)
            }
        }
    }
}
