// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Sets, changes, removes and verifies the passcode, with one transaction for each step.
///
/// Deriving a key from a passcode is slow, so it happens between two steps, while no transaction is open.
extension WriteSession {
    /// Counts a guess durably before it is verified.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`, or with `tooManyGuesses` and the seconds to wait.
    func countGuess() throws(StatusError) -> PasscodeDerivation {
        try change { () throws(StatusError) in
            var page = try lockPage()
            guard let derivation = state.keys.keybag.derivation else {
                throw StatusError(.authenticationFailed, .noPasscode)
            }
            try page.charge(by: store.keySessions.clock)
            try save(page)
            return derivation
        }
    }

    /// Resets the guess counter after a correct guess, in a transaction of its own.
    ///
    /// The counter must stay reset even if the operation that follows fails.
    func resetGuesses(provedBy key: PasscodeKey) throws(StatusError) {
        try change { () throws(StatusError) in
            var page = try lockPage(provedBy: key)
            page.resetFailures()
            try save(page)
        }
    }

    func save(_ keybag: Keybag) throws(StatusError) {
        let content = keybag.page
        try rows.write(content, asPage: PageNumber.keybag)
        state.header.keybagDigest = Bytes32(digestOf: content)
        replaceKeys(with: keybag)
    }

    /// Returns the lock page after checking that the key belongs to the current passcode.
    func lockPage(provedBy key: PasscodeKey) throws(StatusError) -> LockPage {
        let page = try lockPage()
        guard state.keys.keybag.derivation == key.derivation else {
            throw StatusError(.authenticationFailed, .passcodeWrong)
        }
        return page
    }

    /// Checks that no passcode is set, before the key of a new passcode is derived.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists`.
    func checkNoPasscode() throws(StatusError) {
        try reader.reload()
        guard !state.keys.keybag.passcodeIsSet else {
            throw StatusError(.authenticationFailed, .passcodeExists)
        }
    }

    func setPasscode(_ new: PasscodeKey) throws(StatusError) {
        try change(scrubbing: true) { () throws(StatusError) in
            guard !state.keys.keybag.passcodeIsSet else {
                throw StatusError(.authenticationFailed, .passcodeExists)
            }
            let (keybag, opened) = try state.keys.keybag.wrapped(by: new, insteadOf: nil)
            try save(keybag)
            let page = LockPage(under: new)
            try unlock(with: opened, page, provedBy: new)
        }
    }

    func changePasscode(from old: PasscodeKey, to new: PasscodeKey) throws(StatusError) {
        try change(scrubbing: true) { () throws(StatusError) in
            var page = try lockPage(provedBy: old)
            let (keybag, opened) = try state.keys.keybag.wrapped(by: new, insteadOf: old)
            let accessControl = try page.accessControlKey(under: old, with: store.keys)
            page.rewrap(accessControl, under: new)
            try save(keybag)
            try unlock(with: opened, page, provedBy: new)
        }
    }

    /// Removes the passcode, and deletes the items that require one or require the user to authenticate.
    ///
    /// - Returns: The number of deleted items.
    func removePasscode(_ old: PasscodeKey) throws(StatusError) -> Int {
        try change(scrubbing: true) { () throws(StatusError) in
            _ = try lockPage(provedBy: old)
            let keybag = try state.keys.keybag.unwrapped(from: old)
            try save(keybag)
            try rows.deletePage(PageNumber.lock)
            try rows.deletePage(PageNumber.recipient)
            state.header.lockDigest = nil
            state.lock = nil
            replaceKeys(with: keybag)
            return try purgeItemsNeedingPasscode()
        }
    }

    /// Counts the items that removing the passcode would delete.
    func countItemsNeedingPasscode(_ key: PasscodeKey) throws(StatusError) -> Int {
        try reader.reload()
        _ = try lockPage(provedBy: key)
        let unlocked = KeySession(try state.keys.keybag.unwrapped(from: key))
        return try rows.read { () throws(StatusError) in
            try rowsNeedingPasscode(with: unlocked).count { !$0.row.columns.tombstone }
        }
    }

    /// Stores the recipient public key, unless the database already contains this key, sealed for this lock page.
    private func saveRecipient(
        of page: LockPage,
        _ key: AccessControlKey
    ) throws(StatusError) {
        let recipient = key.recipient
        let old = try rows.page(PageNumber.recipient)
        if old.flatMap({ RecipientPublicKey(opening: $0, beside: page, with: store.keys) }) != recipient {
            try rows.write(recipient.sealed(beside: page, with: store.keys), asPage: PageNumber.recipient)
        }
    }

    /// Unlocks the keychain with class keys that the passcode has unwrapped.
    ///
    /// - Returns: The key cache that stores the keys; `thisProcess` if other processes cannot use all of them.
    @discardableResult
    func unlock(
        with opened: UnlockedClassKeys,
        _ page: LockPage,
        provedBy key: PasscodeKey
    ) throws(StatusError) -> StoreStatus.KeyCache {
        let accessControl = try page.accessControlKey(under: key, with: store.keys)
        try saveRecipient(of: page, accessControl)
        return try unlock(with: opened, page)
    }

    /// Deletes the rows that need a passcode, and returns the number of deleted items.
    ///
    /// These are the rows of the protection class whose key was deleted, and the rows whose constraints require user
    /// authentication. Deleted tombstones do not count as items.
    private func purgeItemsNeedingPasscode() throws(StatusError) -> Int {
        let purged = try rowsNeedingPasscode(with: state.keys)
        var agrees: [Bucket: Bool] = [:]
        for stored in purged {
            let bucket = stored.row.columns.identity.bucket
            let isIntact: Bool
            if let known = agrees[bucket] {
                isIntact = known
            } else {
                isIntact = try reader.matchesSum(of: bucket)
            }
            agrees[bucket] = isIntact
            if isIntact { try delete(stored) } else { try deleteUnopened(stored) }
        }
        return purged.count { !$0.row.columns.tombstone }
    }

    private func rowsNeedingPasscode(with classKeys: KeySession) throws(StatusError) -> [StoredRow] {
        let sealer = ItemSealer(keys: store.keys)
        var found: [StoredRow] = []
        for rule in ProtectionRule.table {
            try rows.forEachRow(.protection(rule.protection), secrets: false) { stored throws(StatusError) in
                // A row whose access control is damaged is kept, unless its class needs a passcode.
                let control = try? sealer.accessControl(of: stored.row, with: classKeys)
                if rule.needsPasscode || control?.needsUserAuthentication == true { found.append(stored) }
                return true
            }
        }
        return found
    }

    /// Unlocks the keychain with the key of a verified passcode.
    ///
    /// - Returns: The key cache that stores the keys; `thisProcess` if other processes cannot use all of them.
    func unlock(with key: PasscodeKey) throws(StatusError) -> StoreStatus.KeyCache {
        try change { () throws(StatusError) in
            let page = try lockPage(provedBy: key)
            return try unlock(with: state.keys.keybag.unlocked(by: key), page, provedBy: key)
        }
    }

    /// Returns the access control key, unwrapped with the key of a verified passcode.
    func accessControlKey(provedBy key: PasscodeKey) throws(StatusError) -> AccessControlKey {
        try change { () throws(StatusError) in
            let page = try lockPage(provedBy: key)
            let accessControl = try page.accessControlKey(under: key, with: store.keys)
            try saveRecipient(of: page, accessControl)
            return accessControl
        }
    }
}
