// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Gives the sessions of a process the same key session, as long as keybag and lock epoch stay the same.
final class KeySessions: Sendable {
    private struct Current: Sendable {
        let keybagDigest: Bytes32
        let session: KeySession
    }

    let keyCache: KeyCache
    let clock: LockClock
    private let current = ForkSafeMutex<Current?>(nil)

    init(keyCache: KeyCache, clock: LockClock) {
        self.keyCache = keyCache
        self.clock = clock
    }

    /// Where the unlocked keys of a lock epoch are.
    func source(of epoch: Bytes16?) -> UnlockedKeySource? {
        epoch.map { UnlockedKeySource(state: $0, keyCache: keyCache, clock: clock) }
    }

    /// The session of a keybag and a lock epoch; makes one if the present one is of others.
    func session(
        of epoch: Bytes16?,
        keybagDigest: Bytes32,
        _ keybag: () throws(StatusError) -> Keybag
    ) throws(StatusError) -> KeySession {
        if let current = current.withLock({ $0 }), current.keybagDigest == keybagDigest,
            current.session.epoch == epoch
        {
            return current.session
        }
        let session = KeySession(try keybag(), from: source(of: epoch))
        adopt(session, keybagDigest: keybagDigest)
        return session
    }

    /// Makes a session the present one; the keys of the one before are discarded.
    func adopt(_ session: KeySession, keybagDigest: Bytes32) {
        let former = current.withLock { current in
            defer { current = Current(keybagDigest: keybagDigest, session: session) }
            return current?.session
        }
        if former !== session { former?.discard() }
    }

    /// Discards the keys in the memory of this process.
    func discard() { current.withLock { $0 }?.session.discard() }

    /// Removes keys of every lock epoch but one from the key cache.
    func removeKeys(except epoch: Bytes16?) { keyCache.discardAll(except: epoch) }

    /// Removes what only this process has of an epoch that another process has ended.
    func removeOwnKeys(of epoch: Bytes16, with keys: StoreKeys) {
        source(of: epoch)?.removeOwn(with: keys)
    }
}
