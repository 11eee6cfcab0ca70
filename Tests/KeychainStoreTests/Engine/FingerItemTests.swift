// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Items that open with a finger, tested with simulated sensor results.
@Suite struct FingerItemTests {
    private static let first = Bytes32(fingers: ["left-thumb"], of: 1, at: "canary sensor")
    private static let second = Bytes32(fingers: ["left-thumb", "right-thumb"], of: 1, at: "canary sensor")
    private static let passcode = "canary passcode"
    private static let finger = FingerEvidence(isExamined: true, enrolled: first, recognized: first)
    private static let enrolled = FingerEvidence(isExamined: true, enrolled: first)

    private let store: SampleStore
    private let keychain: EmbeddedKeychain

    init() throws {
        store = try SampleStore()
        keychain = try store.open()
        try keychain.setPasscode(SecretBytes(Self.passcode), cost: LockedStore.cost)
    }

    private func proof(_ passcode: String = passcode) throws -> AccessControlKey {
        try keychain.authenticate(with: SecretBytes(passcode))
    }

    private func add(
        _ flags: UInt64,
        _ protection: ProtectionClass = .whenUnlocked,
        knowing finger: FingerEvidence = enrolled
    ) throws {
        let control = AccessControl(protection: protection, flags: flags)
        let item = ConstrainedGoldenContents.item("canary", control)
        let credential = Credential(finger: finger)
        _ = try keychain.perform(.add(item), for: SampleStore.caller, with: credential)
    }

    /// Returns the number of items that a search finds with this finger and access control key.
    private func read(_ finger: FingerEvidence = .none, _ key: AccessControlKey? = nil) throws -> Int {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: [.account: .string("canary")])
        let copy = Request.copy(CopyRequest(filter: filter, limit: .all, returning: .data))
        let credential = Credential(accessControlKey: key, finger: finger)
        let response = try keychain.perform(copy, for: SampleStore.caller, with: credential)
        guard case .items(let items) = response else { return 0 }
        return items.count
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let flags: UInt64
        /// Whether a finger alone, the passcode alone, or both together open the item.
        let finger: Bool
        let passcode: Bool
        let both: Bool

        var testDescription: String { "\(flags)" }
    }

    // swift-format-ignore
    static let table: [Row] = [
        .init(flags: 1,                          finger: true,  passcode: true,  both: true),
        .init(flags: 1 << 1,                     finger: true,  passcode: false, both: true),
        .init(flags: 1 << 3,                     finger: true,  passcode: false, both: true),
        .init(flags: 1 << 4,                     finger: false, passcode: true,  both: true),
        .init(flags: 1 << 5,                     finger: false, passcode: false, both: false),
        .init(flags: 1 << 4 | 1 << 1,            finger: false, passcode: false, both: true),
        .init(flags: 1 << 4 | 1 << 3,            finger: false, passcode: false, both: true),
        .init(flags: 1 << 15 | 1 << 4 | 1 << 1,  finger: false, passcode: false, both: true),
        .init(flags: 1 << 14 | 1 << 4 | 1 << 1,  finger: true,  passcode: true,  both: true),
        .init(flags: 1 << 14 | 1 << 4 | 1 << 3,  finger: true,  passcode: true,  both: true),
        .init(flags: 1 << 14 | 1 << 5 | 1 << 1,  finger: true,  passcode: false, both: true),
        .init(flags: 1 << 14 | 1 << 5 | 1 << 4,  finger: false, passcode: true,  both: true),
        .init(flags: 1 << 5 | 1 << 1,            finger: false, passcode: false, both: false),
        .init(flags: 1 << 14 | 1 << 5 | 1 << 4 | 1 << 1, finger: true, passcode: true, both: true),
    ]

    @Test(arguments: table)
    func `a finger and the passcode open items as the flags specify`(row: Row) throws {
        try add(row.flags)
        let key = try proof()
        for (finger, key, opens) in [
            (FingerEvidence.none, nil, false), (Self.enrolled, nil, false), (Self.finger, nil, row.finger),
            (.none, key, row.passcode), (Self.finger, key, row.both),
        ] as [(FingerEvidence, AccessControlKey?, Bool)] {
            if opens {
                #expect(try read(finger, key) == 1)
            } else {
                expect(.authenticationNeeded) { _ = try read(finger, key) }
            }
        }
    }

    @Test func `a biometryCurrentSet item is hidden while other fingers are enrolled`() throws {
        try add(1 << 3)
        let key = try proof()
        let others = FingerEvidence(isExamined: true, enrolled: Self.second, recognized: Self.second)
        let noFinger = FingerEvidence(isExamined: true, enrolled: nil)
        expect(.itemNotFound) { _ = try read(others) }
        expect(.itemNotFound) { _ = try read(noFinger, key) }
        // The sensor recognized this finger before the set of enrolled fingers changed.
        let earlier = FingerEvidence(isExamined: true, enrolled: Self.second, recognized: Self.first)
        #expect(try read(earlier) == 1)
        #expect(try read(Self.finger) == 1)
        expect(.duplicateItem) { try add(1 << 3) }
    }

    @Test func `adding a biometryCurrentSet item fails if no finger is enrolled`() throws {
        expect(.authenticationFailed) { try add(1 << 3, knowing: .none) }
        expect(.authenticationFailed) {
            try add(1 << 3, knowing: FingerEvidence(isExamined: true, enrolled: nil))
        }
        try add(1 << 14 | 1 << 4 | 1 << 3, knowing: .none)
        #expect(try read(.none, proof()) == 1)
    }

    @Test func `an item that a finger opens adds no page, and is removed with the passcode`() throws {
        func pages() throws -> Int { try store.sql("SELECT id FROM page").count }
        let before = try pages()
        try add(1 << 1)
        #expect(try pages() == before)
        _ = try keychain.removePasscode(SecretBytes(Self.passcode))
        expect(.itemNotFound) { _ = try read(Self.finger) }
        #expect(try pages() == before - 2)
    }

    /// A finger yields no key, so the protection class alone determines when the item can be decrypted.
    @Test(
        arguments: [(.always, true), (.afterFirstUnlock, true), (.whenUnlocked, false)]
            as [(ProtectionClass, Bool)]
    )
    func `an item that a finger opens is locked like its protection class`(
        protection: ProtectionClass,
        opens: Bool
    ) throws {
        try add(1 << 1, protection)
        #expect(try read(Self.finger) == 1)
        try keychain.lock()
        expect(opens ? .authenticationNeeded : .interactionNotAllowed) { _ = try read(.none) }
        if opens {
            #expect(try read(Self.finger) == 1)
            expect(.duplicateItem) { try add(1 << 1, protection) }
        } else {
            expect(.interactionNotAllowed) { _ = try read(Self.finger) }
        }
        try keychain.unlock(with: SecretBytes(Self.passcode))
        #expect(try read(Self.finger) == 1)
    }

    @Test func `a removed passcode does not open an item that a finger opens`() throws {
        let old = try proof()
        _ = try keychain.removePasscode(SecretBytes(Self.passcode))
        try keychain.setPasscode(SecretBytes(Self.passcode), cost: LockedStore.cost)
        try add(1)
        expect(.authenticationNeeded) { _ = try read(.none, old) }
        #expect(try read(.none, proof()) == 1)
    }

    @Test func `changing the passcode keeps items that a finger opens`() throws {
        try add(1)
        let next = "canary next"
        try keychain.lock()
        try keychain.changePasscode(
            from: SecretBytes(Self.passcode),
            to: SecretBytes(next),
            cost: LockedStore.cost
        )
        #expect(try read(Self.finger) == 1)
        #expect(try read(.none, proof(next)) == 1)
        try keychain.lock()
        let control = AccessControl(protection: .always, flags: 1 << 1)
        let item = ConstrainedGoldenContents.item("another", control)
        _ = try keychain.perform(.add(item), for: SampleStore.caller)
    }
}
