// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Synchronization

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
    private let replacements = Atomic<Int>(0)

    init(keyCache: KeyCache, clock: LockClock) {
        self.keyCache = keyCache
        self.clock = clock
    }

    /// How often keys were replaced or discarded: at each lock or unlock, by any process, that this process notices.
    var replacementCount: Int { replacements.load(ordering: .acquiring) }

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
        guard former !== session else { return }
        former?.discard()
        replacements.add(1, ordering: .releasing)
    }

    func discard() {
        current.withLock { $0 }?.session.discard()
        replacements.add(1, ordering: .releasing)
    }

    func removeKeys(except epoch: Bytes16?) { keyCache.discardAll(except: epoch) }

    /// Removes the in-process keys of a lock epoch that has ended.
    func removeOwnKeys(of epoch: Bytes16, with keys: StoreKeys) {
        source(of: epoch)?.removeOwn(with: keys)
    }
}
