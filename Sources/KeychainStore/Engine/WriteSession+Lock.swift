// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Locks and unlocks the keychain by starting a new lock epoch.
///
/// The lock epoch is a random number in the lock page. Keys in key caches are valid for one epoch, so locking is a
/// write. Every process checks for writes before it decrypts an item, so checking for a lock adds no cost.
extension WriteSession {
    /// Returns the lock page of a store with a passcode.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`.
    func lockPage() throws(StatusError) -> LockPage {
        guard let page = state.lock else { throw StatusError(.authenticationFailed, .noPasscode) }
        return page
    }

    /// Writes the lock page; ``change(scrubbing:deleting:_:)`` then writes the header that authenticates it.
    func save(_ page: LockPage) throws(StatusError) {
        let content = page.sealed(with: store.keys)
        try rows.write(content, asPage: PageNumber.lock)
        state.header.lockDigest = Bytes32(digestOf: content)
        state.lock = page
    }

    /// Writes the lock page with a new epoch; keys of the previous epoch expire when the change is committed.
    private func begin(_ page: LockPage) throws(StatusError) {
        var page = page
        page.startEpoch()
        try save(page)
        replaceKeys(with: state.keys.keybag)
    }

    /// Starts a key session with a keybag and the current lock epoch.
    func replaceKeys(with keybag: Keybag) {
        state.keys = KeySession(keybag, from: store.keySessions.source(of: state.lock?.epoch))
    }

    /// Removes the keys of all lock epochs except the current one from the key cache.
    func discardKeys() { store.keySessions.removeKeys(except: state.lock?.epoch) }

    /// Discards the cached keys of a lock epoch that was never committed.
    func discardKeysOfAbortedEpoch() {
        // If the store cannot be read, its current epoch is unknown, and all keys stay.
        do throws(StatusError) { try reader.reload() } catch { return }
        discardKeys()
    }

    /// Locks the keychain; every process notices this at its next call.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`; the error of a failed read or write of the store; the errors
    ///   of ``KeyCache/put(_:in:of:seconds:)``.
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
            // If the store cannot be written, remove the unlocked keys from the caches at least.
            store.keySessions.keyCache.removeUnlocked()
            state.keys.discard()
            store.keySessions.discard()
            throw error
        }
    }

    /// Changes when the keychain locks automatically, also for keys that are cached now.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if the keychain is locked, because the cached keys
    ///   must be stored again with the new settings; `authenticationFailed` with `noPasscode`; errors of
    ///   ``KeyCache/put(_:in:of:seconds:)``.
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

    /// Stores unwrapped class keys in the key cache, in a new lock epoch.
    ///
    /// - Returns: The key cache that stores the keys; `thisProcess` if other processes cannot use all of them.
    @discardableResult
    func unlock(with opened: UnlockedClassKeys, _ page: LockPage) throws(StatusError) -> StoreStatus.KeyCache
    {
        try begin(page)
        return try state.keys.source?.store(opened, settings: page.settings, with: store.keys) ?? .thisProcess
    }
}
