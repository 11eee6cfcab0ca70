// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The numbers of the pages.
enum PageNumber {
    static let header: Int64 = 0
    static let keybag: Int64 = 1
    static let lock: Int64 = 2
    /// The recipient public key of access control, if a passcode is set.
    static let recipient: Int64 = 3
}

/// The authenticated pages of one generation, as far as they have been read.
struct AuthenticatedState: Sendable {
    var header: StoreHeader
    var keys: KeySession
    /// The lock page; `nil` if no passcode is set.
    var lock: LockPage?
    /// The multiset hash with which each bucket was last verified.
    var verified = [SetSum?](repeating: nil, count: Bucket.count)
    /// The version of the contents of this state; `nil` forces a reload.
    var contentVersion: UInt32?
}

extension AuthenticatedState {
    /// Loads the state on a new connection.
    ///
    /// - Throws: `undecodable` with `databaseRolledBack` if it is older than an acknowledged generation.
    static func load(
        from rows: ItemStore,
        acknowledged: UInt64,
        with keys: StoreKeys,
        _ sessions: KeySessions
    ) throws(StatusError) -> Self {
        let state = try rows.read { () throws(StatusError) in
            let header = try Self.header(from: rows, with: keys)
            let lock = try Self.lockPage(header, from: rows, with: keys)
            return Self(
                header: header,
                keys: try Self.keySession(header, lock, from: rows, with: keys, sessions),
                lock: lock,
                contentVersion: rows.contentVersion
            )
        }
        guard state.header.generation >= acknowledged else {
            throw StatusError(.undecodable, .databaseRolledBack)
        }
        return state
    }

    /// Reloads what has changed.
    ///
    /// - Throws: `undecodable` with `databaseRolledBack` if the contents are older than this state.
    mutating func refresh(
        from rows: ItemStore,
        with keys: StoreKeys,
        _ sessions: KeySessions
    ) throws(StatusError) {
        let version = rows.contentVersion
        guard contentVersion != version else { return }
        let header = try Self.header(from: rows, with: keys)
        // A program other than a keychain may have made the change: verify all buckets again.
        verified = [SetSum?](repeating: nil, count: Bucket.count)
        guard header.generation >= self.header.generation else {
            throw StatusError(.undecodable, .databaseRolledBack)
        }
        if header.keybagDigest != self.header.keybagDigest || header.lockDigest != self.header.lockDigest {
            let former = lock?.epoch
            lock = try Self.lockPage(header, from: rows, with: keys)
            self.keys = try Self.keySession(header, lock, from: rows, with: keys, sessions)
            if let former, former != lock?.epoch { sessions.removeOwnKeys(of: former, with: keys) }
        }
        self.header = header
        contentVersion = version
    }

    private static func header(
        from rows: ItemStore,
        with keys: StoreKeys
    ) throws(StatusError) -> StoreHeader {
        guard let page = try rows.page(PageNumber.header) else {
            throw StatusError(.undecodable, .headerDamaged)
        }
        return try StoreHeader(opening: page, with: keys)
    }

    private static func lockPage(
        _ header: StoreHeader,
        from rows: ItemStore,
        with keys: StoreKeys
    ) throws(StatusError) -> LockPage? {
        guard let digest = header.lockDigest else { return nil }
        guard let page = try rows.page(PageNumber.lock) else {
            throw StatusError(.undecodable, .keybagDamaged)
        }
        return try LockPage(opening: page, digest: digest, with: keys)
    }

    private static func keySession(
        _ header: StoreHeader,
        _ lock: LockPage?,
        from rows: ItemStore,
        with keys: StoreKeys,
        _ sessions: KeySessions
    ) throws(StatusError) -> KeySession {
        let digest = header.keybagDigest
        return try sessions.session(of: lock?.epoch, keybagDigest: digest) { () throws(StatusError) in
            guard let page = try rows.page(PageNumber.keybag) else {
                throw StatusError(.undecodable, .keybagDamaged)
            }
            return try Keybag(opening: page, digest: digest, with: keys)
        }
    }
}
