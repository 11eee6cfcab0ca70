// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// The lock state: it is a number in the store, and whoever holds unlocked keys holds them for this number alone.
///
/// So a lock is a write like any other. Every process looks for writes before it opens an item, and looking for a lock
/// costs it nothing more.
extension OpenStore {
    /// Makes the keybag forget what another lock state had unlocked, and look for keys of the present one.
    mutating func bindKeybag() {
        vouched.keybag.bind(to: source)
    }

    private var source: UnlockedKeySource? {
        vouched.lock.map { UnlockedKeySource(state: $0.state, keyCache: keyCache, clock: lockClock) }
    }

    static func lockPage(
        vouchedBy header: StoreHeader,
        from items: ItemStore,
        keys: StoreKeys
    ) throws(StatusError) -> LockPage? {
        guard let digest = header.lockDigest else { return nil }
        guard let page = try items.page(PageNumber.lock) else {
            throw StatusError(.undecodable, .keybagDamaged)
        }
        return try LockPage(opening: page, vouchedBy: digest, with: keys)
    }

    /// Writes the lock page; the header, which vouches for it, follows at the end of the change.
    mutating func save(_ page: LockPage) throws(StatusError) {
        let content = page.sealed(with: keys)
        try items.write(content, asPage: PageNumber.lock)
        vouched.header.lockDigest = Bytes32(digestOf: content)
        vouched.lock = page
    }

    /// The page of a store with a passcode.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`.
    func lockPage() throws(StatusError) -> LockPage {
        guard let page = vouched.lock else { throw StatusError(.authenticationFailed, .noPasscode) }
        return page
    }

    /// The same for a page in a new lock state.
    private mutating func write(_ page: LockPage) throws(StatusError) {
        try save(page)
        bindKeybag()
    }

    /// Removes keys of every lock epoch but the present one from the key cache.
    func discardKeys() { keyCache.discardAll(except: vouched.lock?.state) }

    /// Discards keys of a lock epoch that was never committed.
    mutating func discardKeysOfAbortedEpoch() {
        // Where the store cannot be read it is not known which keys are meant, and they stay.
        do throws(StatusError) { try readHeader() } catch { return }
        discardKeys()
    }

    /// Forgets what this process alone has of a state that another process has ended.
    func forgetOwnKeys(of former: Bytes16) {
        UnlockedKeySource(state: former, keyCache: keyCache, clock: lockClock).removeOwn(with: keys)
    }

    /// Whether another process has changed the lock state since this one looked.
    mutating func findsOtherLockState() -> Bool {
        let before = vouched.lock?.state
        do throws(StatusError) { try readHeader() } catch { return false }
        return vouched.lock?.state != before
    }

    /// Locks: the next call of every process finds the classes that need the unlocked state closed.
    mutating func lockNow() throws(StatusError) {
        try readHeader()
        _ = try lockPage()
        do throws(StatusError) {
            try change(deleting: true) { store throws(StatusError) in
                var page = try store.lockPage()
                let source = store.source
                page.drawState()
                try source?.lock(to: page.state, with: store.keys)
                try store.write(page)
            }
        } catch {
            // Where the store cannot be written, at least nobody gets the keys from now on.
            keyCache.removeUnlocked()
            bindKeybagAnew()
            throw error
        }
    }

    /// Discards every key that was read from a key cache.
    mutating func bindKeybagAnew() {
        vouched.keybag.bind(to: nil)
        bindKeybag()
    }

    /// Changes when the keychain locks by itself; the keys that are unlocked now are held by the new rule.
    ///
    /// - Throws: `interactionNotAllowed` where it is locked: who does not know the passcode shall not put off the next lock.
    mutating func set(_ settings: LockSettings) throws(StatusError) {
        try change { store throws(StatusError) in
            var page = try store.lockPage()
            guard let kept = store.source?.held(with: store.keys) else {
                throw StatusError(.interactionNotAllowed, .classKeyAbsent)
            }
            page.settings = settings
            page.drawState()
            try store.write(page)
            try store.source?.hold(kept, settings: settings, with: store.keys)
        }
    }

    /// Stores the unwrapped keys in the key cache, in a new lock epoch.
    ///
    /// - Returns: The key cache that stores them; `thisProcess` if no other process can use them.
    @discardableResult
    mutating func unlock(
        with opened: UnlockedClassKeys,
        _ page: LockPage
    ) throws(StatusError) -> StoreStatus.KeyCache {
        var page = page
        page.drawState()
        try write(page)
        return try source?.hold(opened, settings: page.settings, with: keys) ?? .thisProcess
    }

    mutating func readHeader() throws(StatusError) {
        try ensureInPlace()
        try items.read { () throws(StatusError) in
            // The version of the contents means something only after a read.
            _ = try items.page(PageNumber.header)
            try refresh()
        }
    }

    /// What the header says now, whoever wrote it.
    mutating func status() throws(StatusError) -> Response {
        try readHeader()
        return .status(
            StoreStatus(
                formatMajor: Int(StoreHeader.major),
                formatMinor: Int(StoreHeader.minor),
                store: keys.store,
                generation: vouched.header.generation,
                itemCount: vouched.header.itemCount,
                tombstoneCount: vouched.header.tombstoneCount,
                isReadOnly: items.isReadOnly || writer.isReadOnly || vouched.header.isReadOnly,
                passcodeIsSet: vouched.keybag.passcodeIsSet,
                keyCache: vouched.keybag.passcodeIsSet
                    ? source?.location(with: keys) ?? keyCache.kind : .deviceKeyOnly,
                lockState: source?.lockState(with: keys) ?? .noPasscode,
                lockSettings: vouched.lock?.settings ?? LockSettings()
            )
        )
    }
}
