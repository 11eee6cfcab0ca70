// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Items that a finger opens, as far as the keychain knows of fingers.
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

    /// The number of items that are found.
    private func read(_ finger: FingerEvidence = .none, _ key: AccessControlKey? = nil) throws -> Int {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: [.account: .text("canary")])
        let copy = Request.copy(CopyRequest(filter: filter, limit: .all, returning: .data))
        let credential = Credential(accessControlKey: key, finger: finger)
        let response = try keychain.perform(copy, for: SampleStore.caller, with: credential)
        guard case .items(let items) = response else { return 0 }
        return items.count
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let flags: UInt64
        /// What opens it: the finger alone, the passcode alone, both.
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
    func `a finger and the passcode open what the flags say`(row: Row) throws {
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

    @Test func `an item of those enrolled is not there while others are, and nothing else is lost`() throws {
        try add(1 << 3)
        let key = try proof()
        let others = FingerEvidence(isExamined: true, enrolled: Self.second, recognized: Self.second)
        let nobody = FingerEvidence(isExamined: true, enrolled: nil)
        expect(.itemNotFound) { _ = try read(others) }
        expect(.itemNotFound) { _ = try read(nobody, key) }
        // One who was recognized before it changed still is.
        let earlier = FingerEvidence(isExamined: true, enrolled: Self.second, recognized: Self.first)
        #expect(try read(earlier) == 1)
        #expect(try read(Self.finger) == 1)
        expect(.duplicateItem) { try add(1 << 3) }
    }

    @Test func `nobody makes an item for those enrolled where nobody is`() throws {
        expect(.authenticationFailed) { try add(1 << 3, knowing: .none) }
        expect(.authenticationFailed) {
            try add(1 << 3, knowing: FingerEvidence(isExamined: true, enrolled: nil))
        }
        try add(1 << 14 | 1 << 4 | 1 << 3, knowing: .none)
        #expect(try read(.none, proof()) == 1)
    }

    @Test func `a store without items of a finger is as it was`() throws {
        func page() throws -> [[Data?]] { try store.sql("SELECT content FROM page WHERE id = 4") }
        // The first word of features.
        func features() throws -> Data? {
            try store.sql("SELECT substr(content, 25, 4) FROM page WHERE id = 0").first?.first ?? nil
        }
        for (flags, finger) in [
            (1, .none), (1 << 4, Self.enrolled), (1 << 5, Self.enrolled), (1 << 14 | 1 << 4 | 1 << 1, .none),
        ] as [(UInt64, FingerEvidence)] {
            try add(flags, knowing: finger)
            #expect(try page().isEmpty)
            #expect(try features() == Data([0, 0, 0, 0]))
            let filter = ItemFilter(itemClass: .genericPassword, attributes: [.account: .text("canary")])
            _ = try keychain.perform(.delete(DeleteRequest(filter: filter)), for: SampleStore.caller)
        }
        try add(1 << 1)
        #expect(try page().count == 1)
        #expect(try features() == Data([1, 0, 0, 0]))
        _ = try keychain.removePasscode(SecretBytes(Self.passcode))
        #expect(try page().isEmpty)
        #expect(try features() == Data([0, 0, 0, 0]))
        expect(.itemNotFound) { _ = try read(Self.finger) }
    }

    @Test func `the finger's key is there while the keychain is unlocked, whatever the class`() throws {
        try add(1 << 1, .always)
        #expect(try read(Self.finger) == 1)
        try keychain.lock()
        expect(.interactionNotAllowed) { _ = try read(Self.finger) }
        // Its public half is not locked.
        let control = AccessControl(protection: .always, flags: 1 << 1)
        let item = ConstrainedGoldenContents.item("another", control)
        _ = try keychain.perform(.add(item), for: SampleStore.caller)
        try keychain.unlock(with: SecretBytes(Self.passcode))
        #expect(try read(Self.finger) == 1)
        try keychain.set(LockSettings(interval: 600, locksOnSleep: true))
        #expect(try read(Self.finger) == 1)
    }

    @Test func `the first item of a finger cannot be added while the key that it needs is locked`() throws {
        try keychain.lock()
        expect(.interactionNotAllowed) { try add(1 << 1, .always) }
    }

    @Test func `another passcode leads to the same finger`() throws {
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
