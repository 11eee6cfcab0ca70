// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Synchronization

/// A change of items, made by this program or another.
///
/// A change contains the class and the access group of the items, but neither items nor secrets.
public struct ItemChange: Hashable, Sendable {
    /// The kinds of changes.
    public enum Kind: Hashable, Sendable {
        case added, changed, removed
    }

    /// The kind of change.
    public let kind: Kind
    /// The class of the items.
    public let itemClass: KeychainItemClass
    /// The access group of the items; `nil` if the keychain reports only a digest of its name.
    ///
    /// This is the case for a program whose entitlements give it every access group.
    public let accessGroup: AccessGroup?

    package init(kind: Kind, itemClass: KeychainItemClass, accessGroup: AccessGroup?) {
        self.kind = kind
        self.itemClass = itemClass
        self.accessGroup = accessGroup
    }
}

extension Vault {
    /// Returns a sequence of future changes to items in the vault's access group.
    ///
    /// If the vault has no access group, the changes are those in all of the program's groups. Changes by other
    /// programs are included. If the program's entitlements give it every access group, only a vault without an
    /// access group receives changes.
    ///
    /// ```swift
    /// for await change in vault.changes() where change.itemClass == .genericPassword {
    ///     reloadAccounts()
    /// }
    /// ```
    ///
    /// Changes in quick succession are merged into one for each kind, class and access group. A locked
    /// keychain also reports changes. On Linux, changes arrive within a tenth of a second, or within a second
    /// if a daemon serves the keychain or inotify is unavailable. On Apple's platforms, which send no
    /// notifications, changes arrive within several seconds. The sequence ends when the task that iterates over
    /// it is cancelled.
    ///
    /// - Returns: The sequence of changes.
    public func changes() -> AsyncStream<ItemChange> {
        let group = accessGroup
        let backend = backend
        let tracker = ChangeTracker(at: backend.generation, try? backend.versions())
        return AsyncStream { continuation in
            continuation.onTermination = { _ in tracker.end() }
            backend.watch {
                guard !tracker.isEnded else { return false }
                // Read the generation first: a change that follows at once is then found the next time.
                let generation = backend.generation
                guard !tracker.knows(generation), let versions = try? backend.versions() else { return true }
                for change in tracker.changes(at: generation, to: versions)
                where group == nil || change.accessGroup == group {
                    continuation.yield(change)
                }
                return true
            }
        }
    }
}

/// Finds changes by comparing the versions of all items with those at the last check.
private final class ChangeTracker: Sendable {
    private typealias Versions = [PersistentReference: ItemVersion]

    private struct State {
        /// The state of the store from which `versions` were read; `nil` if it is not known.
        var generation: StoreGeneration?
        var versions: Versions?
        var isEnded = false
    }

    private let state: Mutex<State>

    init(at generation: StoreGeneration?, _ versions: [ItemVersion]?) {
        state = Mutex(State(generation: generation, versions: versions.map(Self.byReference)))
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func end() { state.withLock { $0.isEnded = true } }

    /// Whether the versions at the last check were read from the store in this state: then nothing has changed.
    func knows(_ generation: StoreGeneration?) -> Bool {
        state.withLock { $0.versions != nil && generation != nil && $0.generation == generation }
    }

    func changes(at generation: StoreGeneration?, to versions: [ItemVersion]) -> Set<ItemChange> {
        let new = Self.byReference(versions)
        let old = state.withLock { state in
            defer { (state.generation, state.versions) = (generation, new) }
            return state.versions
        }
        // If the keychain was unreadable when the sequence was created, the items of that time are unknown,
        // so the first check reports no changes.
        guard let old else { return [] }
        var changes: Set<ItemChange> = []
        for item in versions {
            guard let before = old[item.reference] else {
                changes.insert(ItemChange(.added, item))
                continue
            }
            if before.version == item.version, before.accessGroup == item.accessGroup { continue }
            changes.insert(ItemChange(.changed, item))
        }
        for item in old.values where new[item.reference] == nil { changes.insert(ItemChange(.removed, item)) }
        return changes
    }

    private static func byReference(_ versions: [ItemVersion]) -> Versions {
        Dictionary(versions.map { ($0.reference, $0) }) { first, _ in first }
    }
}

extension ItemChange {
    fileprivate init(_ kind: Kind, _ item: ItemVersion) {
        self.kind = kind
        itemClass = KeychainItemClass(itemClass: item.reference.itemClass)
        accessGroup = item.accessGroup.map { AccessGroup($0) }
    }
}
