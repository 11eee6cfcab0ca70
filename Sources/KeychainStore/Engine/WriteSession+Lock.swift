// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Locking. The store contains a lock epoch, and unlocked keys are valid for one epoch.
///
/// A lock is therefore a write. Every process checks for writes before it opens an item, so checking for a
/// lock adds no cost.
extension WriteSession {
    /// Returns the lock page of a store with a passcode.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`.
    func lockPage() throws(StatusError) -> LockPage {
        guard let page = state.lock else { throw StatusError(.authenticationFailed, .noPasscode) }
        return page
    }

    /// Writes the lock page; the header that authenticates it is written at the end of the change.
    func save(_ page: LockPage) throws(StatusError) {
        let content = page.sealed(with: store.keys)
        try rows.write(content, asPage: PageNumber.lock)
        state.header.lockDigest = Bytes32(digestOf: content)
        state.lock = page
    }

    /// Writes the lock page with a new epoch; the previous epoch's keys expire with the change.
    private func begin(_ page: LockPage) throws(StatusError) {
        var page = page
        page.startEpoch()
        try save(page)
        replaceKeys(with: state.keys.keybag)
    }

    /// Starts a key session with a keybag in the current epoch.
    func replaceKeys(with keybag: Keybag) {
        state.keys = KeySession(keybag, from: store.keySessions.source(of: state.lock?.epoch))
    }

    /// Removes keys of all other lock epochs from the key cache.
    func discardKeys() { store.keySessions.removeKeys(except: state.lock?.epoch) }

    /// Discards keys of a lock epoch that was never committed.
    func discardKeysOfAbortedEpoch() {
        // If the store cannot be read, it is unknown which keys these are, and they stay.
        do throws(StatusError) { try reader.reload() } catch { return }
        discardKeys()
    }

    /// Locks the keychain in every process from its next call on.
    func lock() throws(StatusError) {
        try reader.reload()
        _ = try lockPage()
        do throws(StatusError) {
            try change(deleting: true) { () throws(StatusError) in
                let source = state.keys.source
                try begin(lockPage())
                if let next = state.lock?.epoch { try source?.lock(to: next, with: store.keys) }
            }
        } catch {
            // If the store cannot be written, at least remove the keys from the cache.
            store.keySessions.keyCache.removeUnlocked()
            state.keys.discard()
            store.keySessions.discard()
            throw error
        }
    }

    /// Changes when the keychain locks automatically, including for keys that are unlocked now.
    ///
    /// - Throws: `interactionNotAllowed` while locked: postponing the next lock requires the passcode.
    func set(_ settings: LockSettings) throws(StatusError) {
        try change { () throws(StatusError) in
            var page = try lockPage()
            guard let kept = state.keys.source?.cachedKeys(with: store.keys) else {
                throw StatusError(.interactionNotAllowed, .classKeyAbsent)
            }
            page.settings = settings
            try begin(page)
            try state.keys.source?.store(kept, settings: settings, with: store.keys)
        }
    }

    /// Stores the unwrapped keys in the key cache, in a new lock epoch.
    ///
    /// - Returns: The key cache that stores them; `thisProcess` if no other process can use them.
    @discardableResult
    func unlock(with opened: UnlockedClassKeys, _ page: LockPage) throws(StatusError) -> StoreStatus.KeyCache
    {
        try begin(page)
        return try state.keys.source?.store(opened, settings: page.settings, with: store.keys) ?? .thisProcess
    }
}
