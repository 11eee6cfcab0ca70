// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@Suite struct ProtectionClassTests {
    @Test(arguments: ProtectionClass.allCases)
    func `each protection class is at the row of its raw value`(protection: ProtectionClass) {
        #expect(protection.rule.protection == protection)
        #expect(ProtectionClass(name: protection.name) == protection)
        #expect(ProtectionRule.table[Int(protection.rawValue) - 1].symbol == protection.rule.symbol)
    }

    static let classes: [(ProtectionClass, String, Bool, Bool)] = [
        (ProtectionClass.whenUnlocked, "ak", false, true), (.whenUnlockedThisDeviceOnly, "aku", false, false),
        (.afterFirstUnlock, "ck", false, true), (.afterFirstUnlockThisDeviceOnly, "cku", false, false),
        (.always, "dk", false, true), (.alwaysThisDeviceOnly, "dku", false, false),
        (.whenPasscodeSetThisDeviceOnly, "akpu", true, false),
    ]

    @Test(arguments: classes)
    func `a protection class has Apple's name and rules`(
        protection: ProtectionClass,
        name: String,
        needsPasscode: Bool,
        leavesDevice: Bool
    ) {
        #expect(protection.name == name)
        #expect(protection.rule.needsPasscode == needsPasscode)
        #expect(protection.rule.leavesDevice == leavesDevice)
    }

    @Test(arguments: ["", "a", "AK", "akp", "ak\0"])
    func `an unknown name is not a protection class`(name: String) {
        #expect(ProtectionClass(name: name) == nil)
    }
}

@Suite struct PersistentReferenceTests {
    static let item = [UInt8](1...16)

    @Test(arguments: ItemClass.allCases)
    func `a persistent reference consists of the class name and the item, and can be parsed`(
        itemClass: ItemClass
    ) throws {
        let bytes = Array(itemClass.name.utf8) + Self.item
        let reference = try PersistentReference(bytes)
        #expect(reference.itemClass == itemClass)
        #expect(reference.item.bytes == Self.item)
        #expect(reference.bytes == bytes)
    }

    /// Malformed persistent references: a prefix and the number of bytes after it.
    static let malformed: [(String, Int)] = [
        ("", 0), ("genp", 0), ("genp", 15), ("genp", 17), ("GENP", 16), ("abcd", 16), ("\u{e9}\u{e9}", 16),
        ("tkpr", 16), ("gen\0", 16), ("gen", 17), ("", 20),
    ]

    @Test(arguments: malformed)
    func `a persistent reference of the wrong size or prefix is rejected`(prefix: String, count: Int) {
        let bytes = Array(prefix.utf8) + [UInt8](repeating: 0xfe, count: count)
        #expect(throws: StatusError(.invalidParameter, .malformedReference)) {
            try PersistentReference(bytes)
        }
    }
}

@Suite struct AttributesTests {
    @Test func `attributes are sorted by raw value regardless of insertion order`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var attributes = Attributes()
            for attribute in Attribute.allCases.shuffled(using: &generator) {
                attributes[attribute] = .number(Int64(attribute.rawValue))
            }
            #expect(attributes.entries.map(\.attribute) == Attribute.allCases)
            for attribute in Attribute.allCases {
                #expect(attributes[attribute] == .number(Int64(attribute.rawValue)))
            }
        }
    }

    @Test func `setting an attribute replaces its value, and nil removes it`() {
        var attributes = Attributes()
        attributes[.label] = .string("first")
        attributes[.label] = .string("second")
        #expect(attributes.entries.count == 1)
        #expect(attributes[.label] == .string("second"))
        attributes[.account] = nil
        #expect(attributes.entries.count == 1)
        attributes[.label] = nil
        #expect(attributes.isEmpty)
    }
}

@Suite struct CallerTests {
    static let groups: [([String], [String])] = [
        ([], []), ([""], []), (["b", "a"], ["b", "a"]), (["a", "b", "a"], ["a", "b"]),
        ([Caller.tokenGroup, "a"], ["a", Caller.tokenGroup]),
        (["a", Caller.tokenGroup, "b", Caller.tokenGroup], ["a", "b", Caller.tokenGroup]),
        ([Caller.tokenGroup], [Caller.tokenGroup]), (["*", "a", "*"], ["*", "a"]),
        (["\u{e9}", "e\u{301}"], ["\u{e9}", "e\u{301}"]),
    ]

    @Test(
        arguments: groups
    )
    func `access groups keep their order without duplicates, the token group last`(
        given: [String],
        kept: [String]
    ) {
        let groups = Caller(applicationIdentifier: "app", accessGroups: given).accessGroups
        #expect(groups.map { Array($0.utf8) } == kept.map { Array($0.utf8) })
    }
}

@Suite struct ErrorTests {
    @Test(arguments: Reason.allCases)
    func `each reason has its own explanation`(reason: Reason) {
        let explanation = reason.explanation(of: nil)
        for part in [explanation.problem, explanation.remedy].compactMap({ $0 }) {
            #expect(!part.isEmpty && !part.hasSuffix("\n") && !part.hasSuffix("."))
        }
        #expect(Reason.allCases.filter { $0.explanation(of: nil) == explanation } == [reason])
    }

    /// Error reasons that can concern any file of the store.
    private static let ofFiles: [Reason] = [
        .fileNotPrivate, .fileNotOwned, .fileIsLink, .notARegularFile, .writerBusy, .noSpace, .transferFailed,
        .notPermitted, .systemCall,
    ]
    /// Error reasons that concern the store's directory, a particular file of it, or the entitlements file.
    private static let ofStore: [Reason] = [
        .noHomeDirectory, .directoryMissing, .directoryNotPrivate, .directoryNotOwned, .directoryIsLink,
        .directoryClosed, .notADirectory, .pathTooLong, .pathNotUTF8, .pathNotAbsolute, .deviceKeyMissing,
        .deviceKeyDamaged, .deviceKeyForeign, .databaseMissing, .databaseDamaged, .databaseForeign,
        .earlierFormat, .databaseNewer, .databaseRolledBack, .databaseReplaced, .journalPresent,
        .headerDamaged, .keybagDamaged, .multisetHashMismatch, .recordDamaged, .indexDamaged,
        .settingRefused, .readOnlyStore, .logUnavailable, .database, .malformedEntitlements,
    ]
    private static let imperatives: Set<Substring> = [
        "check", "correct", "free", "look", "make", "mount", "move", "name", "put", "remove", "repeat",
        "replace",
        "restore",
        "run", "set", "update",
    ]

    /// Returns whether the explanation's remedy starts with an imperative, such as "restore".
    private static func saysWhatToDo(_ explanation: Explanation) -> Bool {
        guard let word = explanation.remedy?.split(separator: " ").first else { return false }
        return imperatives.contains(word)
    }

    @Test(arguments: ofFiles, StoreFile.allCases)
    func `the explanation of a file error names the file and a remedy`(reason: Reason, file: StoreFile) {
        let explanation = StatusError(.notAvailable, reason, file: file, code: 5).explanation
        #expect(explanation.problem.split(separator: " ").contains { $0 == file.rawValue })
        #expect(explanation.problem.hasSuffix("(code 5)"))
        #expect(Self.saysWhatToDo(explanation), "\(explanation)")
    }

    @Test(arguments: ofStore)
    func `the explanation of a store error has a remedy`(reason: Reason) {
        let explanation = reason.explanation(of: nil)
        #expect(Self.saysWhatToDo(explanation), "\(explanation)")
        #expect(!explanation.sentence.contains("a file of the store"))
    }

    @Test func `a status without a reason is explained by its message`() {
        let error = StatusError(.itemNotFound)
        #expect(error.explanation.sentence == "The specified item could not be found in the keychain.")
        #expect(StatusError(Status(rawValue: 5)).explanation.sentence == "OSStatus 5")
    }

    @Test func `the error for too many attempts says how long to wait`() {
        let error = StatusError(.authenticationFailed, .tooManyGuesses, code: 30)
        #expect(error.explanation.remedy == "the next attempt is allowed in 30 s")
    }

    @Test func `a store file is recognized by name, with or without the suffix .new`() {
        #expect(StoreFile(name: "device.key") == .deviceKey)
        #expect(StoreFile(name: "keychain.db.new") == .database)
        #expect(StoreFile(name: "keychain.db-wal") == .log)
        #expect(StoreFile(name: "canary") == nil)
        #expect(StoreFile(name: "") == nil)
    }

    @Test func `an error cannot contain a string`() {
        let error = StatusError(
            .undecodable,
            .recordDamaged,
            attribute: .account,
            file: .database,
            code: 5
        )
        #expect(Self.texts(in: error) == [])
    }

    /// Returns the paths (`error.member…`) of all strings and byte arrays in an error.
    ///
    /// An enum case without associated values contains none.
    private static func texts(in value: Any, at path: String = "error") -> [String] {
        if value is String || value is Substring || value is SecretBuffer || value is [UInt8] {
            return [path]
        }
        return Mirror(reflecting: value).children.flatMap { child in
            texts(in: child.value, at: "\(path).\(child.label ?? "?")")
        }
    }

    @Test func `statuses and API constants are unique`() {
        #expect(Set(StatusRule.table.map(\.status)).count == StatusRule.table.count)
        #expect(Set(StatusRule.table.map(\.symbol)).count == StatusRule.table.count)
        #expect(
            StatusRule.table.map(\.status.rawValue) == StatusRule.table.map(\.status.rawValue).sorted(by: >)
        )
    }
}
