// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Locking: the lock epoch is a number in the store, and unlocked keys belong to one epoch.
///
/// So a lock is a write like any other. Every process looks for writes before it opens an item, and looking for a lock
/// costs it nothing more.
extension WriteSession {
    /// The lock page of a store with a passcode.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`.
    func lockPage() throws(StatusError) -> LockPage {
        guard let page = state.lock else { throw StatusError(.authenticationFailed, .noPasscode) }
        return page
    }

    /// Writes the lock page; the header, which authenticates it, follows at the end of the change.
    func save(_ page: LockPage) throws(StatusError) {
        let content = page.sealed(with: store.keys)
        try rows.write(content, asPage: PageNumber.lock)
        state.header.lockDigest = Bytes32(digestOf: content)
        state.lock = page
    }

    /// Writes the lock page with a new epoch; the keys of the one before end with the change.
    private func begin(_ page: LockPage) throws(StatusError) {
        var page = page
        page.drawState()
        try save(page)
        replaceKeys(with: state.keys.keybag)
    }

    /// Starts a key session with a keybag in the present epoch.
    func replaceKeys(with keybag: Keybag) {
        state.keys = KeySession(keybag, from: store.keySessions.source(of: state.lock?.state))
    }

    /// Removes keys of every lock epoch but the present one from the key cache.
    func discardKeys() { store.keySessions.removeKeys(except: state.lock?.state) }

    /// Discards keys of a lock epoch that was never committed.
    func discardKeysOfAbortedEpoch() {
        // If the store cannot be read, it is not known which keys these are, and they stay.
        do throws(StatusError) { try reader.reload() } catch { return }
        discardKeys()
    }

    /// Locks: the next call of every process finds the classes locked that need the unlocked state.
    func lock() throws(StatusError) {
        try reader.reload()
        _ = try lockPage()
        do throws(StatusError) {
            try change(deleting: true) { () throws(StatusError) in
                let source = state.keys.source
                try begin(lockPage())
                if let next = state.lock?.state { try source?.lock(to: next, with: store.keys) }
            }
        } catch {
            // If the store cannot be written, at least the keys are gone from now on.
            store.keySessions.keyCache.removeUnlocked()
            state.keys.discard()
            store.keySessions.discard()
            throw error
        }
    }

    /// Changes when the keychain locks by itself; applies to the keys that are unlocked now.
    ///
    /// - Throws: `interactionNotAllowed` while locked: without the passcode the next lock cannot be put off.
    func set(_ settings: LockSettings) throws(StatusError) {
        try change { () throws(StatusError) in
            var page = try lockPage()
            guard let kept = state.keys.source?.held(with: store.keys) else {
                throw StatusError(.interactionNotAllowed, .classKeyAbsent)
            }
            page.settings = settings
            try begin(page)
            try state.keys.source?.hold(kept, settings: settings, with: store.keys)
        }
    }

    /// Stores the unwrapped keys in the key cache, in a new lock epoch.
    ///
    /// - Returns: The key cache that stores them; `thisProcess` if no other process can use them.
    @discardableResult
    func unlock(with opened: UnlockedClassKeys, _ page: LockPage) throws(StatusError) -> StoreStatus.KeyCache
    {
        try begin(page)
        return try state.keys.source?.hold(opened, settings: page.settings, with: store.keys) ?? .thisProcess
    }
}
