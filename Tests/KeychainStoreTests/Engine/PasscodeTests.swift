// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct PasscodeTests {
    private let calls: Calls
    private static let cost = LockedStore.cost

    init() throws { calls = try Calls() }

    private var keychain: EmbeddedKeychain { calls.keychain }

    @Test func `a passcode can be set once, which leaves the keychain unlocked`() throws {
        try calls.add([.account: "canary a"])
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        #expect(try calls.status().passcodeIsSet)
        #expect(try calls.status().lockState == .unlocked)
        #expect(try calls.find(.generic()).first?.secret == SecretBuffer("canary secret".utf8))
        #expect(throws: StatusError(.authenticationFailed, .passcodeExists)) {
            try keychain.setPasscode(SecretBytes("canary two"), cost: Self.cost)
        }
    }

    @Test func `without a passcode locking, unlocking and removing fail`() throws {
        let error = StatusError(.authenticationFailed, .noPasscode)
        #expect(throws: error) { try keychain.lock() }
        #expect(throws: error) { try keychain.unlock(with: SecretBytes("canary")) }
        #expect(throws: error) { try keychain.removePasscode(SecretBytes("canary")) }
        #expect(throws: error) { _ = try keychain.authenticate(with: SecretBytes("canary")) }
        #expect(throws: error) { try keychain.set(LockSettings(interval: 1)) }
        #expect(try calls.status().generation == 0)
    }

    /// A passcode can be arbitrary bytes, and is not normalized.
    @Test(
        arguments: [
            [0x61], [0], [0, 0], [0xff, 0xfe, 0x80], Array("pass\u{0}word".utf8), Array("\u{e9}".utf8),
            Array("e\u{301}".utf8), Array(repeating: 0x61, count: 1_024),
        ] as [[UInt8]]
    )
    func `any bytes are a valid passcode`(bytes: [UInt8]) throws {
        try keychain.setPasscode(Self.secret(bytes), cost: Self.cost)
        try keychain.lock()
        // A key derivation that pads its input with zero bytes, as HMAC does, would accept a passcode with an
        // additional zero byte.
        for other in [bytes + [0], Array(bytes.dropLast()) + [0x62]] where other.count <= 1_024 {
            #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
                try keychain.unlock(with: Self.secret(other))
            }
        }
        try keychain.unlock(with: Self.secret(bytes))
        #expect(try calls.status().lockState == .unlocked)
    }

    @Test(arguments: [0, 1_025, 1 << 20])
    func `an empty or too long passcode is rejected and does not count as a guess`(
        count: Int
    ) throws {
        let error = StatusError(.invalidParameter, .passcodeMalformed)
        let bytes = [UInt8](repeating: 0x61, count: count)
        #expect(throws: error) { try keychain.setPasscode(Self.secret(bytes), cost: Self.cost) }
        #expect(try !calls.status().passcodeIsSet)
        try keychain.setPasscode(SecretBytes("canary"), cost: Self.cost)
        let generation = try calls.status().generation
        for _ in 0..<20 {
            #expect(throws: error) { try keychain.unlock(with: Self.secret(bytes)) }
            #expect(throws: error) { _ = try keychain.removePasscode(Self.secret(bytes)) }
        }
        #expect(try calls.status().generation == generation)
        try keychain.unlock(with: SecretBytes("canary"))
    }

    @Test func `a changed passcode opens all items, and the old one none`() throws {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        for name in ["ak", "ck", "akpu"] {
            try calls.add([.account: .string("canary \(name)"), .accessible: .string(name)])
        }
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
            try keychain.changePasscode(
                from: SecretBytes("canary?"),
                to: SecretBytes("canary two"),
                cost: Self.cost
            )
        }
        try keychain.changePasscode(
            from: SecretBytes("canary one"),
            to: SecretBytes("canary two"),
            cost: Self.cost
        )
        try keychain.lock()
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
            try keychain.unlock(with: SecretBytes("canary one"))
        }
        try keychain.unlock(with: SecretBytes("canary two"))
        #expect(try calls.accounts(.generic()).count == 3)
    }

    @Test func `changing the passcode changes no item`() throws {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        for number in 0..<20 { try calls.add([.account: .string("canary \(number)")]) }
        let path = try #require(SearchedKeychain.directory).appending(component: "keychain.db").path
        let items = "SELECT tag, version, attributes, secret FROM item ORDER BY id"
        let before = try SampleStore.sql(items, in: path)
        try keychain.changePasscode(
            from: SecretBytes("canary one"),
            to: SecretBytes("canary two"),
            cost: Self.cost
        )
        #expect(try SampleStore.sql(items, in: path) == before)
    }

    @Test func `removing the passcode deletes items that need one, and they can be added again`() throws {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        for number in 0..<5 { try calls.add([.account: .string("canary \(number)"), .accessible: "akpu"]) }
        try calls.add([.account: "canary sync", .accessible: "akpu", .synchronizable: .number(1)])
        try calls.delete(.generic([.account: "canary sync"], .any))
        try calls.add([.account: "canary ak"])
        try keychain.lock()
        #expect(try keychain.countItemsNeedingPasscode(SecretBytes("canary one")) == 5)
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
            try keychain.countItemsNeedingPasscode(SecretBytes("canary two"))
        }
        #expect(try calls.status().lockState == .locked)
        #expect(try keychain.removePasscode(SecretBytes("canary one")) == 5)
        #expect(try calls.status().itemCount == 1)
        #expect(try calls.status().tombstoneCount == 0)
        #expect(try calls.accounts(.generic()) == ["canary ak"])
        #expect(try calls.reopened().accounts(.generic()) == ["canary ak"])
        expect(.authenticationFailed) { try calls.add([.account: "canary 0", .accessible: "akpu"]) }
        try keychain.setPasscode(SecretBytes("canary two"), cost: Self.cost)
        try calls.add([.account: "canary 0", .accessible: "akpu"])
        #expect(try calls.accounts(.generic()) == ["canary 0", "canary ak"])
    }

    @Test func `removing the passcode restores the pages and header flags from before it was set`() throws {
        let path = try #require(SearchedKeychain.directory).appending(component: "keychain.db").path
        let shape = "SELECT id, length(content), substr(content, 25, 12) FROM page"
        let before = try SampleStore.sql(shape, in: path)
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        #expect(try SampleStore.sql(shape, in: path) != before)
        _ = try keychain.removePasscode(SecretBytes("canary one"))
        #expect(try SampleStore.sql(shape, in: path) == before)
    }

    @Test func `no previously wrapped class key remains in the files`() throws {
        try calls.add([.account: "canary a"])
        let directory = try #require(SearchedKeychain.directory)
        let boxes = try SampleStore.sql(
            "SELECT substr(content, 87, 60) FROM page WHERE id = 1",
            in: directory.appending(component: "keychain.db").path
        )
        let box = try #require(boxes.first?.first ?? nil)
        #expect(try Self.files(in: directory, holding: box) != [])
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        #expect(try Self.files(in: directory, holding: box) == [])
    }

    /// The operation that must remove old bytes from the files once no read transaction uses them.
    enum Scrubber: String, CaseIterable { case write, opening }

    @Test(arguments: Scrubber.allCases)
    func `a wrapped key retained by a reader is removed after the reader`(scrubber: Scrubber) throws {
        try calls.add([.account: "canary a"])
        let directory = try #require(SearchedKeychain.directory)
        let database = directory.appending(component: "keychain.db").path
        let boxes = try SampleStore.sql(
            "SELECT substr(content, 87, 60) FROM page WHERE id = 1",
            in: database
        )
        let box = try #require(boxes.first?.first ?? nil)
        let reader = try HeldReader(of: database)
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        #expect(try Self.files(in: directory, holding: box) != [])
        reader.end()
        switch scrubber {
        case .write: try calls.add([.account: "canary b"])
        case .opening: _ = try calls.reopened()
        }
        #expect(try Self.files(in: directory, holding: box) == [])
    }

    @Test func `locking a locked keychain changes nothing`() throws {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        try keychain.set(LockSettings(interval: 300))
        try keychain.lock()
        expect(.interactionNotAllowed) { try keychain.set(LockSettings()) }
        #expect(try calls.status().lockSettings.interval == 300)
        try keychain.unlock(with: SecretBytes("canary one"))
        try keychain.set(LockSettings())
        #expect(try calls.status().lockSettings.interval == nil)
    }

    @Test func `authenticating returns the same access control key after a passcode change`()
        throws
    {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        try keychain.lock()
        let first = try keychain.authenticate(with: SecretBytes("canary one"))
        #expect(try calls.status().lockState == .locked)
        try keychain.changePasscode(
            from: SecretBytes("canary one"),
            to: SecretBytes("canary two"),
            cost: Self.cost
        )
        #expect(try keychain.authenticate(with: SecretBytes("canary two")) == first)
        _ = try keychain.removePasscode(SecretBytes("canary two"))
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        #expect(try keychain.authenticate(with: SecretBytes("canary one")) != first)
    }

    @Test func `a calibrated cost is between the minimum and the maximum`() throws {
        let cost = try PasscodeCost.calibrated()
        #expect(cost.doublings >= PasscodeCost.minimum.doublings)
        #expect(cost.doublings < PasscodeCost.maximum.doublings)
    }

    @Test func `an unlock by another connection is detected`() throws {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        try calls.add([.account: "canary a"])
        let other = try calls.reopened()
        try other.keychain.lock()
        expect(.interactionNotAllowed) { _ = try calls.find(.generic()) }
        try other.keychain.unlock(with: SecretBytes("canary one"))
        #expect(try calls.find(.generic()).count == 1)
    }

    @Test func `no cached keys are found for a rolled back database`() throws {
        try keychain.setPasscode(SecretBytes("canary one"), cost: Self.cost)
        try calls.add([.account: "canary a"])
        let directory = try #require(SearchedKeychain.directory)
        let copy = directory.deletingLastPathComponent().appending(component: "keychain-\(UUID())")
        try FileManager.default.copyItem(at: directory, to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        try keychain.lock()
        try keychain.unlock(with: SecretBytes("canary one"))
        var old = calls
        old.keychain = try EmbeddedKeychain(at: StoreLocation(directory: copy.path))
        expect(.interactionNotAllowed) { _ = try old.find(.generic()) }
    }

    private static func secret(_ bytes: [UInt8]) -> SecretBytes {
        SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    private static func files(in directory: URL, holding bytes: Data) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
            try Data(contentsOf: directory.appending(component: $0)).range(of: bytes) != nil
        }
    }
}
