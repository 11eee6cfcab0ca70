// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

/// The expected contents of a store: each account with its label and secret.
typealias Inventory = [String: Entry]

struct Entry: Hashable, Sendable {
    var label: String
    var secret: SecretBuffer
}

enum Operation: Sendable {
    case add(String, Entry)
    case update(String, Entry)
    case delete(String)
    case updateAll(Entry)
    case deleteAll(label: String)
    case setPasscode(String)
    case changePasscode(String, to: String)
    /// Removes the passcode and the items that need it.
    case removePasscode(String)
    case lock
    case unlock(String)
    /// Rotates the class keys with the passcode; `nil` in a store without one.
    case rotateKeys(String?)

    static let service = "crash"
    static let caller = Caller(applicationIdentifier: "crash.test", accessGroups: ["crash.test"])

    /// Returns the inventory after the operation; `nil` if the operation must fail, because nothing matches or the
    /// account exists.
    func applied(to inventory: Inventory) -> Inventory? {
        var result = inventory
        switch self {
        case .add(let account, let entry):
            guard result.updateValue(entry, forKey: account) == nil else { return nil }
        case .update(let account, let entry):
            guard result.updateValue(entry, forKey: account) != nil else { return nil }
        case .delete(let account):
            guard result.removeValue(forKey: account) != nil else { return nil }
        case .updateAll(let entry):
            guard !result.isEmpty else { return nil }
            for account in result.keys { result[account] = entry }
        case .deleteAll(let label):
            result = result.filter { $0.value.label != label }
            guard result.count < inventory.count else { return nil }
        case .setPasscode(let passcode), .changePasscode(_, let passcode):
            result[Self.passcode] = Self.entry(of: passcode)
        case .removePasscode:
            result[Self.passcode] = nil
            result = result.filter { !$0.key.hasPrefix(Self.needsPasscode) }
        case .lock, .unlock, .rotateKeys: break
        }
        return result
    }

    /// The account, in an inventory, of the entry that stands for the passcode and has it as label.
    static let passcode = "the passcode"
    /// The prefix of accounts whose items require a passcode.
    static let needsPasscode = "only with passcode "
    static let passcodes = ["one", "two"]

    static func entry(of passcode: String) -> Entry { Entry(label: passcode, secret: SecretBuffer()) }

    func perform(on keychain: EmbeddedKeychain) throws(StatusError) {
        let cost = PasscodeCost(doublings: 3)
        switch self {
        case .setPasscode(let new): try keychain.setPasscode(Self.secret(new), cost: cost)
        case .changePasscode(let old, let new):
            try keychain.changePasscode(from: Self.secret(old), to: Self.secret(new), cost: cost)
        case .removePasscode(let old): _ = try keychain.removePasscode(Self.secret(old))
        case .lock: try keychain.lock()
        case .unlock(let passcode): try keychain.unlock(with: Self.secret(passcode))
        case .rotateKeys(let passcode):
            if let passcode {
                try keychain.beginKeyRotation(with: Self.secret(passcode))
            } else {
                try keychain.beginKeyRotation()
            }
            _ = try keychain.resumeKeyRotation { _, _ in true }
        default: if let request { _ = try keychain.perform(request, for: Self.caller) }
        }
    }

    static func secret(_ passcode: String) -> SecretBytes {
        var bytes = Array(passcode.utf8)
        return SecretBytes(moving: &bytes)
    }

    /// The request that performs the operation; `nil` for operations on the passcode, the lock and the class keys.
    var request: Request? {
        switch self {
        case .add(let account, let entry):
            var attributes = Attributes()
            attributes[.service] = .string(Self.service)
            attributes[.account] = .string(account)
            attributes[.label] = .string(entry.label)
            if account.hasPrefix(Self.needsPasscode) { attributes[.accessible] = .string("akpu") }
            return .add(NewItem(itemClass: .genericPassword, attributes: attributes, secret: entry.secret))
        case .update(let account, let entry):
            return .update(Self.update(Self.filter(account: account), to: entry))
        case .delete(let account): return .delete(DeleteRequest(filter: Self.filter(account: account)))
        case .updateAll(let entry): return .update(Self.update(Self.filter(), to: entry))
        case .deleteAll(let label):
            var filter = Self.filter()
            filter.attributes[.label] = .string(label)
            return .delete(DeleteRequest(filter: filter))
        case .setPasscode, .changePasscode, .removePasscode, .lock, .unlock, .rotateKeys: return nil
        }
    }

    static func filter(account: String? = nil) -> ItemFilter {
        var attributes = Attributes()
        attributes[.service] = .string(service)
        if let account { attributes[.account] = .string(account) }
        return ItemFilter(itemClass: .genericPassword, attributes: attributes)
    }

    private static func update(_ filter: ItemFilter, to entry: Entry) -> UpdateRequest {
        var attributes = Attributes()
        attributes[.label] = .string(entry.label)
        return UpdateRequest(filter: filter, attributes: attributes, secret: entry.secret)
    }
}

/// The operations that create a store, and the recorded operations that follow them.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let before: [Operation]
    let recorded: [Operation]

    var testDescription: String { name }

    static let all: [Scenario] = [.checkpoints, .adds, .updates, .deletes, .batches, .passcodes, .rotations]

    static let adds = Scenario(name: "add", before: numbered(0..<4, add), recorded: numbered(4..<42, add))

    static let updates = Scenario(
        name: "update",
        before: numbered(0..<8, add),
        recorded: (0..<48).map { .update(account($0 % 8), entry($0, round: 1 + $0 / 8)) }
    )

    static let deletes = Scenario(
        name: "delete",
        before: numbered(0..<37, add),
        recorded: (0..<37).map { .delete(account(($0 * 7) % 37)) }
    )

    /// Calls that each change many rows in one transaction.
    static let batches = Scenario(
        name: "batch",
        before: numbered(0..<12, add),
        recorded: (1...7).flatMap { round -> [Operation] in
            [
                .updateAll(entry(round, round: round)),
                .add("extra \(round)", entry(round, round: 9)),
                .deleteAll(label: "label of round 9"),
                .updateAll(entry(-round, round: round)),
            ]
        }
    )

    /// Setting, changing and removing the passcode while items depend on it.
    static let passcodes = Scenario(
        name: "passcode",
        before: numbered(0..<4, add),
        recorded: (0..<6).flatMap { round -> [Operation] in
            [
                .setPasscode("one"), .add("\(Operation.needsPasscode)\(round)", entry(round)), .lock,
                .unlock("one"),
                .changePasscode("one", to: "two"),
                .update(account(round % 4), entry(round, round: 1 + round)),
                .removePasscode("two"),
            ]
        }
    )

    /// Rotating the class keys in two batches, without and with a passcode.
    static let rotations = Scenario(
        name: "rotation",
        before: numbered(0..<300, add),
        recorded: (0..<2).flatMap { round -> [Operation] in
            [
                .rotateKeys(nil), .update(account(round), entry(round, round: 1)),
                .setPasscode("one"), .add("\(Operation.needsPasscode)\(round)", entry(round)),
                .rotateKeys("one"), .changePasscode("one", to: "two"), .rotateKeys("two"),
                .removePasscode("two"),
            ]
        }
    )

    /// Adding values so large that the write-ahead log is checkpointed repeatedly.
    static let checkpoints = Scenario(
        name: "checkpoint",
        before: numbered(0..<4, add),
        recorded: (0..<20).map { .update(account($0 % 4), entry($0, round: 1 + $0 / 4, size: 60_000)) }
    )

    static func add(_ number: Int) -> Operation { .add(account(number), entry(number)) }

    static func numbered(_ range: Range<Int>, _ make: (Int) -> Operation) -> [Operation] { range.map(make) }

    static func account(_ number: Int) -> String { "account \(number)" }

    /// Returns an entry whose secret repeats its number and round, so that a mix of two values is noticed.
    static func entry(_ number: Int, round: Int = 0, size: Int = 32) -> Entry {
        let pattern = "secret \(number) of round \(round); "
        let text = String(repeating: pattern, count: size / pattern.utf8.count + 1)
        return Entry(label: "label of round \(round)", secret: SecretBuffer(text.utf8.prefix(size)))
    }
}
