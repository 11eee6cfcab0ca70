// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Provides the key session that all sessions of an open store share.
///
/// The key session is replaced when the keybag or the lock epoch has changed.
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

    /// Returns the source of the unlocked keys of a lock epoch; `nil` without an epoch.
    func source(of epoch: Bytes16?) -> UnlockedKeySource? {
        epoch.map { UnlockedKeySource(epoch: $0, keyCache: keyCache, clock: clock) }
    }

    /// Returns the key session for a keybag and lock epoch; creates one if either has changed.
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

    /// Replaces the current key session, and discards the keys of the previous one.
    func adopt(_ session: KeySession, keybagDigest: Bytes32) {
        let former = current.withLock { current in
            defer { current = Current(keybagDigest: keybagDigest, session: session) }
            return current?.session
        }
        if former !== session { former?.discard() }
    }

    func discard() { current.withLock { $0 }?.session.discard() }

    func removeKeys(except epoch: Bytes16?) { keyCache.discardAll(except: epoch) }

    /// Removes the in-process keys of a lock epoch that has ended.
    func removeOwnKeys(of epoch: Bytes16, with keys: StoreKeys) {
        source(of: epoch)?.removeOwn(with: keys)
    }
}
