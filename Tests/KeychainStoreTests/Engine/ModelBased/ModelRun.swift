// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Runs operations on a keychain and on its reference model, and compares both after each step.
struct ModelRun {
    /// The first step at which keychain and model differ.
    struct Divergence: Error, CustomStringConvertible {
        let step: Int
        let description: String
    }

    private let location: StoreLocation
    private var keychain: EmbeddedKeychain
    private var other: EmbeddedKeychain
    private var reference = ReferenceKeychain()
    /// The persistent references of the items, by the number of the operation that added each.
    private var handles: [Int: PersistentReference] = [:]
    /// Properties that must change with every write of an item, as last read; keys as in `handles`.
    private var seen: [Int: (revision: Int, modified: Double, sha1: AttributeValue?)] = [:]

    private static let everyGroup = Caller(applicationIdentifier: "canary", accessGroups: ["*"])

    init(in directory: URL) throws {
        location = StoreLocation(directory: directory.path)
        keychain = try EmbeddedKeychain(at: location)
        other = try EmbeddedKeychain(at: location)
    }

    /// Runs all operations in a temporary store, and returns the first difference; `nil` if all results agree.
    ///
    /// A plaintext name or value in the store's files counts as a difference, too.
    static func divergence(of operations: [Operation], in parent: URL) throws -> Divergence? {
        let directory = parent.appending(component: "run-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        var run = try Self(in: directory)
        do {
            for (step, operation) in operations.enumerated() { try run.take(operation, as: step) }
        } catch let divergence as Divergence {
            return divergence
        }
        let readable = try Canary.files(in: directory)
        guard readable.isEmpty else {
            let description = "a name or a value is readable in \(readable)"
            return Divergence(step: operations.count, description: description)
        }
        return nil
    }

    /// Returns the fewest operations, found within 20 seconds, that still cause a divergence.
    static func shrunk(_ operations: [Operation], in parent: URL) throws -> [Operation] {
        var kept = operations
        let deadline = ContinuousClock.now + .seconds(20)
        var length = max(kept.count / 2, 1)
        while true {
            var start = 0
            while start < kept.count, ContinuousClock.now < deadline {
                var fewer = kept
                fewer.removeSubrange(start..<min(start + length, kept.count))
                if try divergence(of: fewer, in: parent) != nil { kept = fewer } else { start += length }
            }
            guard length > 1, ContinuousClock.now < deadline else { return kept }
            length /= 2
        }
    }

    private mutating func take(_ operation: Operation, as step: Int) throws {
        do {
            try take(operation)
            try compare(after: operation, as: step)
        } catch let difference as Difference {
            throw Divergence(step: step, description: difference.description)
        } catch let error as StatusError {
            throw Divergence(step: step, description: "listing failed: \(error)")
        }
    }

    private mutating func take(_ operation: Operation) throws {
        switch operation {
        case .add(let itemClass, let attributes, let secret, let groups):
            let item = NewItem(
                itemClass: itemClass,
                attributes: attributes,
                secret: secret,
                returning: .everything
            )
            let (status, items) = perform(.add(item), groups)
            let expected = reference.add(itemClass, attributes, secret, groups)
            try check(status, expected.status)
            guard let id = expected.id, let added = items.first else { return }
            if let known = handles[id], known != added.reference {
                throw Difference("a revived item has another reference")
            }
            handles[id] = added.reference
        case .find(let filter, let limit, let groups):
            let request = CopyRequest(filter: self.filter(filter), limit: limit, returning: .everything)
            let (status, items) = perform(.copy(request), groups)
            let expected = reference.find(filter, groups)
            let isNothing = expected.status == .success && limit.count == 0
            try check(status, isNothing ? .itemNotFound : expected.status)
            try compare(items, with: expected.found, count: min(limit.count, expected.found.count))
        case .update(let filter, let changes, let secret, let groups):
            let request = UpdateRequest(filter: self.filter(filter), attributes: changes, secret: secret)
            try check(
                perform(.update(request), groups).status,
                reference.update(filter, changes, secret, groups)
            )
        case .delete(let filter, let leavesTombstones, let groups):
            let request = DeleteRequest(filter: self.filter(filter), leavesTombstones: leavesTombstones)
            let expected = reference.delete(filter, leavesTombstones: leavesTombstones, groups)
            try check(perform(.delete(request), groups).status, expected)
        case .reopen:
            keychain = try EmbeddedKeychain(at: location)
        case .switchConnection: swap(&keychain, &other)
        }
    }

    private func filter(_ filter: Filter) -> ItemFilter {
        ItemFilter(
            itemClass: filter.itemClass,
            attributes: filter.attributes,
            synchronizable: filter.synchronizable,
            reference: filter.handle.map {
                let unknown = PersistentReference(itemClass: filter.itemClass, item: .random())
                guard let handle = handles[$0] else { return unknown }
                return PersistentReference(itemClass: filter.itemClass, item: handle.item)
            }
        )
    }

    private func perform(_ request: Request, _ groups: [String]) -> (status: Status, items: [FoundItem]) {
        let caller = Caller(applicationIdentifier: "canary", accessGroups: groups)
        do throws(StatusError) {
            guard case .items(let items) = try keychain.perform(request, for: caller) else {
                return (.success, [])
            }
            return (.success, items)
        } catch {
            return (error.status, [])
        }
    }
}

extension ModelRun {
    private struct Difference: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private func check(_ status: Status, _ expected: Status) throws {
        guard status == expected else {
            throw Difference("status \(status.rawValue) instead of \(expected.rawValue)")
        }
    }

    /// Throws unless a search found `count` different items, each equal to an expected one.
    ///
    /// Attributes that the keychain computes, such as dates, are not compared.
    private func compare(_ found: [FoundItem], with expected: [ReferenceKeychain.Item], count: Int) throws {
        guard found.count == count, Set(found.map(\.reference)).count == count else {
            throw Difference("\(found.count) items instead of \(count)")
        }
        for item in found {
            guard let match = expected.first(where: { handles[$0.id] == item.reference }) else {
                throw Difference("an item that the query does not match: \(item)")
            }
            var attributes = item.attributes
            let computed: [Attribute] = [.creationDate, .modificationDate, .sha1, .tombstone, .multiUser]
            for attribute in computed { attributes[attribute] = nil }
            guard attributes == match.attributes, item.secret == match.secret else {
                throw Difference("\(attributes) instead of \(match)")
            }
        }
    }

    /// Compares the items of the class that the step changed, and the counts in the header.
    ///
    /// After every 64th step and after reopening the store, all items are compared.
    private mutating func compare(after operation: Operation, as step: Int) throws {
        if let itemClass = operation.changedClass { try compareEverything(of: itemClass) }
        if step % 64 == 0 || operation.isReopening {
            for itemClass in ItemClass.allCases where itemClass.isStored {
                try compareEverything(of: itemClass)
            }
        }
        guard case .status(let status) = try keychain.perform(.status, for: Self.everyGroup) else { return }
        let tombstones = reference.items.count(where: \.isTombstone)
        guard status.tombstoneCount == tombstones, status.itemCount == reference.items.count - tombstones
        else {
            throw Difference(
                "the header counts \(status.itemCount) items and \(status.tombstoneCount) tombstones"
            )
        }
    }

    private mutating func compareEverything(of itemClass: ItemClass) throws {
        let filter = ItemFilter(itemClass: itemClass, synchronizable: .any)
        let request = Request.copy(CopyRequest(filter: filter, limit: .all, returning: .everything))
        let (status, found) = perform(request, Self.everyGroup.accessGroups)
        let expected = reference.items.filter { $0.itemClass == itemClass && !$0.isTombstone }
        try check(status, expected.isEmpty ? .itemNotFound : .success)
        try compare(found, with: expected, count: expected.count)
        try compareChanges(found, expected)
    }

    /// Throws unless exactly the written items have a newer modification date and another digest (`sha1`).
    private mutating func compareChanges(_ found: [FoundItem], _ expected: [ReferenceKeychain.Item]) throws {
        for item in found {
            guard let match = expected.first(where: { handles[$0.id] == item.reference }),
                let modified = item.attributes[.modificationDate]?.seconds
            else { continue }
            let now = (match.revision, modified, item.attributes[.sha1])
            if let before = seen[match.id] {
                let isSame = before.modified == modified && before.sha1 == now.2
                let isNewer = before.modified < modified && before.sha1 != now.2
                guard before.revision == match.revision ? isSame : isNewer else {
                    throw Difference("dates or digests do not follow the changes of \(match)")
                }
            }
            seen[match.id] = now
        }
    }
}
