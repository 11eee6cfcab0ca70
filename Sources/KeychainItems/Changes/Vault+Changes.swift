// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Synchronization

/// That items of a class and an access group were added, changed or removed, by this program or another.
///
/// It names neither items nor secrets.
public struct ItemChange: Hashable, Sendable {
    /// What happened to items.
    public enum Kind: Hashable, Sendable {
        case added, changed, removed
    }

    /// What happened.
    public let kind: Kind
    /// The class of the items.
    public let itemClass: KeychainItemClass
    /// The access group of the items; `nil` where its name is not known.
    public let accessGroup: AccessGroup?
}

extension Vault {
    /// The changes of items in the access groups of the program, by any program, from now on.
    ///
    /// ```swift
    /// for await change in vault.changes() where change.itemClass == .genericPassword {
    ///     reloadAccounts()
    /// }
    /// ```
    ///
    /// Changes in quick succession come as one for each kind, class and access group. A locked keychain tells of them too.
    /// On Linux they come within a tenth of a second; on Apple's platforms, where programs are told nothing, within
    /// some seconds. The sequence ends with the task that iterates over it.
    public func changes() -> AsyncStream<ItemChange> {
        let group = accessGroup
        let backend = backend
        let tracker = ChangeTracker(try? backend.versions())
        return AsyncStream { continuation in
            continuation.onTermination = { _ in tracker.end() }
            backend.watch {
                guard !tracker.isEnded else { return false }
                guard let versions = try? backend.versions() else { return true }
                for change in tracker.changes(to: versions) where group == nil || change.accessGroup == group
                {
                    continuation.yield(change)
                }
                return true
            }
        }
    }
}

/// What the items were when they were last looked at.
private final class ChangeTracker: Sendable {
    private typealias Versions = [PersistentReference: ItemVersion]

    private struct State {
        var versions: Versions?
        var isEnded = false
    }

    private let state: Mutex<State>

    init(_ marks: [ItemVersion]?) { state = Mutex(State(versions: marks.map(Self.byReference))) }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func end() { state.withLock { $0.isEnded = true } }

    /// What differs from the last time.
    func changes(to marks: [ItemVersion]) -> Set<ItemChange> {
        let new = Self.byReference(marks)
        let old = state.withLock { state in
            defer { state.versions = new }
            return state.versions
        }
        // The keychain could not be read before: what is there may be old.
        guard let old else { return [] }
        var changes: Set<ItemChange> = []
        for mark in marks {
            guard let before = old[mark.reference] else {
                changes.insert(ItemChange(.added, mark))
                continue
            }
            if before.version == mark.version, before.accessGroup == mark.accessGroup { continue }
            changes.insert(ItemChange(.changed, mark))
        }
        for mark in old.values where new[mark.reference] == nil { changes.insert(ItemChange(.removed, mark)) }
        return changes
    }

    private static func byReference(_ marks: [ItemVersion]) -> Versions {
        Dictionary(marks.map { ($0.reference, $0) }) { first, _ in first }
    }
}

extension ItemChange {
    fileprivate init(_ kind: Kind, _ mark: ItemVersion) {
        self.kind = kind
        itemClass = KeychainItemClass(itemClass: mark.reference.itemClass)
        accessGroup = mark.accessGroup.map { AccessGroup($0) }
    }
}
