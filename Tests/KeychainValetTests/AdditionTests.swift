// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

/// Functions of this package's Valet that the original does not have.
@Suite(.ownKeychain) struct AdditionTests {
    struct Token: Codable, Equatable {
        var name: String
        var expires: Int?
    }

    let valet: Valet

    init() throws { valet = .valet(with: try .fresh(), accessibility: .whenUnlocked) }

    @Test func `a value of any Codable type is read back`() throws {
        try valet.setValue(encoding: Token(name: "canary", expires: 7), forKey: "token")
        #expect(try valet.value(Token.self, forKey: "token") == Token(name: "canary", expires: 7))
        try valet.setValue(encoding: "canary", forKey: "text")
        #expect(try valet.value(String.self, forKey: "text") == "canary")
        #expect(throws: KeychainError.itemNotFound) { try valet.value(Token.self, forKey: "missing") }
        try valet.removeAllObjects()
    }

    @Test func `a coding error contains nothing of the value`() throws {
        try valet.setString(#""canary secret""#, forKey: "key")
        let error = #expect(throws: CodableValueError.notDecodable(type: "Token")) {
            try valet.value(Token.self, forKey: "key")
        }
        #expect(error.map { "\($0)" }?.contains("canary") == false)
        #expect(throws: CodableValueError.notEncodable(type: "Double")) {
            try valet.setValue(encoding: Double.nan, forKey: "key")
        }
        #expect(try valet.string(forKey: "key") == #""canary secret""#)
        try valet.removeAllObjects()
    }

    @Test func `subscripts read, write and remove values`() throws {
        #expect(valet["key"] == nil)
        valet["key"] = "canary"
        #expect(valet["key"] == "canary")
        #expect(valet[data: "key"] == Data("canary".utf8))
        valet[data: "key"] = Data([1])
        #expect(valet[data: "key"] == Data([1]))
        valet["key"] = nil
        #expect(valet[data: "key"] == nil)
        valet[data: "key"] = Data([1])
        valet[data: "key"] = nil
        #expect(try !valet.containsObject(forKey: "key"))
    }

    @Test func `a failing subscript keeps the value and reports the reason`() throws {
        valet["key"] = "canary"
        valet["key"] = ""
        #expect(valet["key"] == "canary")
        #expect(valet.lastFailure?.error == .emptyValue)
        #expect(valet[""] == nil)
        #expect(valet.lastFailure?.error == .emptyKey)
        try valet.removeAllObjects()
    }

    @Test(arguments: Kind.cases)
    func `items are listed with their attributes`(kind: Kind, accessibility: Accessibility) throws {
        let valet = try kind.valet(accessibility)
        let before = Date(timeIntervalSinceNow: -1)
        #expect(try valet.items() == [])
        try valet.setString("canary", forKey: "b")
        try valet.setString("canary", forKey: "a")
        let items = try valet.items()
        #expect(items.map(\.key) == ["a", "b"])
        for item in items {
            #expect(item.accessibility == accessibility)
            #expect(item.isSynchronizable == kind.synchronizes)
            if !kind.group.isEmpty { #expect(item.accessGroup == kind.group) }
            #expect(try #require(item.created) >= before)
            #expect(try #require(item.modified) >= before)
        }
        #expect(!"\(items)".contains("canary\""))
        try valet.removeAllObjects()
    }

    @Test func `the status behind an error is available`() throws {
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        #expect(valet.lastFailure == nil)
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "missing") }
        let failure = try #require(valet.lastFailure)
        #expect(
            failure.error == .itemNotFound && failure.status == errSecItemNotFound
                && failure.operation == .read
        )
        #expect(!failure.message.isEmpty)
        #expect(failure.description.contains("-25300"))
        #expect(!failure.description.contains("missing"))
        try valet.setObject(Data([0xff]), forKey: "key")
        #expect(valet.lastFailure == failure)
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "key") }
        #expect(valet.lastFailure?.status == errSecDecode)
        #expect(throws: KeychainError.emptyKey) { try valet.removeObject(forKey: "") }
        #expect(valet.lastFailure?.operation == .remove)
        try valet.removeAllObjects()
    }

    @Test func `the status behind a failed migration is available`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        #expect(throws: KeychainError.itemNotFound) {
            try valet.migrateObjects(from: source, removeOnCompletion: false)
        }
        #expect(valet.lastFailure?.operation == .migrate)
    }

    @Test func `a failure without a status clears an earlier one`() throws {
        struct Refusal: Error, Equatable {}
        let source = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        for valet in [source, valet] { try valet.setString("canary", forKey: "key") }
        let calls: [() throws -> Void] = [
            { try valet.migrateObjects(from: source, removeOnCompletion: true) },
            { try valet.migrateObjects(from: source) { _ in throw Refusal() } },
            { try valet.setValue(encoding: Double.nan, forKey: "value") },
            { _ = try valet.value(Token.self, forKey: "key") },
        ]
        for call in calls {
            #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "missing") }
            #expect(valet.lastFailure != nil)
            #expect(throws: (any Error).self) { try call() }
            #expect(valet.lastFailure == nil)
        }
        // If the closure's own call of the valet fails, `lastFailure` keeps the reason of that call.
        #expect(throws: KeychainError.emptyKey) {
            try valet.migrateObjects(from: source) { _ in
                try valet.setString("canary", forKey: "")
                return nil
            }
        }
        #expect(valet.lastFailure?.error == .emptyKey && valet.lastFailure?.operation == .write)
        for valet in [source, valet] { try valet.removeAllObjects() }
    }

    @MainActor @Test func `every call has an asynchronous variant`() async throws {
        let valet = valet.async
        #expect(await valet.canAccessKeychain())
        try await valet.setString("canary", forKey: "text")
        try await valet.setObject(Data([1]), forKey: "bytes")
        #expect(try await valet.string(forKey: "text") == "canary")
        #expect(try await valet.object(forKey: "bytes") == Data([1]))
        #expect(try await valet.containsObject(forKey: "text"))
        #expect(try await valet.allKeys() == ["bytes", "text"])
        #expect(try await valet.items().map(\.key) == ["bytes", "text"])
        let source = self.valet
        let other = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try await other.async.migrateObjects(from: source, removeOnCompletion: true)
        #expect(try await valet.allKeys() == [])
        try await other.async.removeObject(forKey: "text")
        #expect(try await other.async.allKeys() == ["bytes"])
        try await other.async.removeAllObjects()
        await #expect(throws: KeychainError.itemNotFound) { try await valet.string(forKey: "text") }
        try await valet.setValue(encoding: ["canary"], forKey: "value")
        #expect(try await valet.value([String].self, forKey: "value") == ["canary"])
        var caller = CallingThread()
        try await valet.setValue(encoding: WorkingThread(), forKey: "thread")
        let written = try self.valet.value(WorkingThread.self, forKey: "thread")
        #expect(written.encoding != caller.number)
        caller = CallingThread()
        let read = try await valet.value(WorkingThread.self, forKey: "thread")
        #expect(read.decoding != caller.number)
        // For comparison: a blocking call decodes the value on the caller's own thread.
        caller = CallingThread()
        #expect(try self.valet.value(WorkingThread.self, forKey: "thread").decoding == caller.number)
        #expect(await valet.diagnose().verdict == .usable)
        try await valet.removeAllObjects()
    }

    /// The current thread, retained so that no other thread gets the same identifier.
    ///
    /// Tests compare identifiers, because on Linux the main actor of a test does not always run on the same
    /// thread, or on Foundation's main thread.
    private struct CallingThread {
        private let thread = Thread.current

        var number: Int { Int(bitPattern: ObjectIdentifier(thread)) }
    }

    /// A `Codable` value that records on which threads it is encoded and decoded.
    private struct WorkingThread: Codable, Sendable {
        var encoding = 0
        var decoding = 0

        init() {}

        init(from decoder: any Decoder) throws {
            encoding = try decoder.singleValueContainer().decode(Int.self)
            decoding = CallingThread().number
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(CallingThread().number)
        }
    }

    private nonisolated static func query(_ valet: Valet) -> [String: AnyHashable] {
        [
            kSecClass as String: kSecClassGenericPassword as String,
            kSecAttrService as String: valet.identifier.description,
        ]
    }

    @MainActor @Test func `every migration has an asynchronous variant`() async throws {
        let source = Valet.valet(withExplicitlySet: try .fresh(), accessibility: .whenUnlocked)
        try source.setString("canary", forKey: "key")
        let twin = valet.async
        try await twin.migrateObjects(matching: Self.query(source), removeOnCompletion: false)
        var caller = CallingThread()
        try await twin.migrateObjects(matching: Self.query(source)) { [number = caller.number] in
            #expect(CallingThread().number != number)
            return .init(key: "new \($0.key)", value: $0.value)
        }
        withExtendedLifetime(caller) {}
        caller = CallingThread()
        try await twin.migrateObjects(from: source) { [number = caller.number] in
            #expect(CallingThread().number != number)
            return .init(key: "other \($0.key)", value: $0.value)
        }
        withExtendedLifetime(caller) {}
        #expect(try await twin.allKeys() == ["key", "new key", "other key"])
        let other = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        await #expect(throws: KeychainError.userCancelled) {
            try await other.async.migrateObjects(
                matching: Self.query(source),
                removeOnCompletion: true,
                progress: progress
            )
        }
        await #expect(throws: KeychainError.itemNotFound) {
            try await valet.async.migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion: true)
        }
        await #expect(throws: KeychainError.itemNotFound) {
            try await valet.async.migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(
                removeOnCompletion: true
            )
        }
        for valet in [source, valet] { try await valet.async.removeAllObjects() }
    }

    @Test func `diagnosing a working valet finds no problem`() throws {
        let diagnosis = valet.diagnose()
        #expect(diagnosis.verdict == .usable && diagnosis.status == errSecSuccess)
        #expect(diagnosis.advice.isEmpty && diagnosis.accessGroup == nil)
        #expect(diagnosis.description == "usable (0)")
        try valet.removeAllObjects()
    }
}
