// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@testable import KeychainStore

@Suite struct PasscodeDerivationTests {
    private let keys = StoreKeys(.random())
    private static let cost = PasscodeCost(doublings: 4)

    private static func secret(_ text: String) -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    @Test func `only the correct passcode derives the key`() throws {
        let made = try PasscodeDerivation.make(for: Self.secret("canary"), cost: Self.cost, with: keys)
        #expect(try made.derivation.key(of: Self.secret("canary"), with: keys).key == made.key)
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
            _ = try made.derivation.key(of: Self.secret("Canary"), with: keys)
        }
    }

    /// Without the device key, a passcode guess cannot be checked against a stolen database.
    @Test func `a passcode cannot be verified with another device key`() throws {
        let made = try PasscodeDerivation.make(for: Self.secret("canary"), cost: Self.cost, with: keys)
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
            _ = try made.derivation.key(of: Self.secret("canary"), with: StoreKeys(.random()))
        }
    }

    @Test func `each passcode record has a new salt`() throws {
        let one = try PasscodeDerivation.make(for: Self.secret("canary"), cost: Self.cost, with: keys)
        let other = try PasscodeDerivation.make(for: Self.secret("canary"), cost: Self.cost, with: keys)
        #expect(one.derivation != other.derivation)
        #expect(one.key != other.key)
    }

    /// Damages one byte of the passcode derivation.
    ///
    /// The resulting costs include 2 GiB (2^21 KiB) and 2^40 KiB of memory: the test would fail if they were
    /// allocated.
    @Test(
        arguments: [
            (place: 0, byte: 2), (place: 1, byte: 0), (place: 1, byte: 17), (place: 1, byte: 255),
            (place: 2, byte: 2), (place: 2, byte: 21), (place: 2, byte: 40), (place: 2, byte: 255),
            (place: 3, byte: 1), (place: 7, byte: 1),
        ] as [(place: Int, byte: UInt8)]
    )
    func `an excessive key derivation cost is rejected without deriving`(place: Int, byte: UInt8) throws {
        let made = try PasscodeDerivation.make(for: Self.secret("canary"), cost: Self.cost, with: keys)
        var bytes = made.derivation.bytes
        bytes[place] = byte
        #expect(throws: StatusError(.notAvailable, .passcodeCostUnknown)) {
            _ = try PasscodeDerivation(bytes: bytes).key(of: Self.secret("canary"), with: keys)
        }
    }

    @Test func `a changed salt or check value makes every passcode wrong`() throws {
        let made = try PasscodeDerivation.make(for: Self.secret("canary"), cost: Self.cost, with: keys)
        for place in 8..<56 {
            var bytes = made.derivation.bytes
            bytes[place] ^= 1
            #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
                _ = try PasscodeDerivation(bytes: bytes).key(of: Self.secret("canary"), with: keys)
            }
        }
    }
}

@Suite struct LockPageTests {
    private let keys = StoreKeys(.random())

    private func page() throws -> LockPage {
        var bytes = Array("canary".utf8)
        let key = try PasscodeDerivation.make(
            for: SecretBytes(moving: &bytes),
            cost: PasscodeCost(doublings: 3),
            with: keys
        )
        return LockPage(under: key)
    }

    @Test func `a lock page is decoded as encoded`() throws {
        var page = try page()
        page.settings = LockSettings(interval: 300, locksOnSleep: true)
        let clock = LockClock(sinceStart: { 1_000 }, awake: { 1_000 }, start: { .zero })
        for _ in 0..<3 { try page.charge(by: clock) }
        let sealed = page.sealed(with: keys)
        let read = try LockPage(opening: sealed, digest: Bytes32(digestOf: sealed), with: keys)
        #expect(read.settings == page.settings)
        #expect(read.epoch == page.epoch)
        #expect(read.failures == 3)
        #expect(sealed.count == 168)
    }

    @Test func `a damaged lock page is rejected, even with a matching digest in the header`() throws {
        let sealed = try page().sealed(with: keys)
        let error = StatusError(.undecodable, .keybagDamaged)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1 << UInt8(place % 8)
            #expect(throws: error) {
                _ = try LockPage(opening: changed, digest: Bytes32(digestOf: changed), with: keys)
            }
            #expect(throws: error) {
                _ = try LockPage(opening: changed, digest: Bytes32(digestOf: sealed), with: keys)
            }
            let cut = Array(sealed.prefix(place))
            #expect(throws: error) {
                _ = try LockPage(opening: cut, digest: Bytes32(digestOf: cut), with: keys)
            }
        }
    }

    @Test func `a lock page of another store is rejected`() throws {
        let sealed = try page().sealed(with: keys)
        #expect(throws: StatusError(.undecodable, .keybagDamaged)) {
            _ = try LockPage(
                opening: sealed,
                digest: Bytes32(digestOf: sealed),
                with: StoreKeys(.random())
            )
        }
    }
}

@Suite struct UnlockedKeysTests {
    private let keys = StoreKeys(.random())

    @Test func `cached keys are decoded as encoded, and modified ones rejected`() throws {
        let opened = try Keybag.random(with: keys).unlocked(by: nil)
        let limit = AutoLock(deadline: 5, asleep: 7)
        let held = UnlockedKeys(
            slot: .unlocked,
            epoch: .random(),
            limit: limit,
            keys: opened.keys.filter {
                $0.key.protection.rule.available == .unlocked
            }
        )
        let box = held.sealed(with: keys)
        let read = try #require(UnlockedKeys(opening: box, with: keys))
        #expect(read.epoch == held.epoch)
        #expect(read.limit == limit)
        #expect(read.keys == held.keys)
        for place in box.indices {
            var changed = box
            changed[place] ^= 1
            #expect(UnlockedKeys(opening: changed, with: keys) == nil)
            #expect(UnlockedKeys(opening: Array(box.prefix(place)), with: keys) == nil)
        }
        #expect(UnlockedKeys(opening: box, with: StoreKeys(.random())) == nil)
        #expect(UnlockedKeys(opening: [], with: keys) == nil)
    }

    @Test(
        arguments: [
            (asleep: 0, isOver: true), (3_999, true), (4_000, false), (5_000, false), (6_000, false),
            (.max - 1_000, false), (.max, false),
        ] as [(asleep: UInt64, isOver: Bool)]
    )
    func `keys expire after a sleep since the unlock`(asleep: UInt64, isOver: Bool) {
        let clock = LockClock(sinceStart: { 9_000 }, awake: { 4_000 }, start: { .zero })
        #expect(AutoLock(asleep: asleep).isOver(by: clock) == isOver)
    }
}
