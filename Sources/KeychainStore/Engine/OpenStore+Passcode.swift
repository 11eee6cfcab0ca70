// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// Passcodes, each step a change of the store. The slow part, making a key of a passcode, is between the steps and
/// blocks nobody.
extension OpenStore {
    /// Charges a guess durably, before anyone knows whether it is right.
    ///
    /// - Throws: `authenticationFailed` with `noPasscode`, or with `tooManyGuesses` and the seconds to wait.
    mutating func chargeGuess() throws(StatusError) -> PasscodeDerivation {
        try change { store throws(StatusError) in
            var page = try store.lockPage()
            guard let derivation = store.vouched.keybag.derivation else {
                throw StatusError(.authenticationFailed, .noPasscode)
            }
            try page.charge(by: store.lockClock)
            try store.save(page)
            return derivation
        }
    }

    /// Forgives the guesses before a right one, durably and for itself: whatever is then done with the proof may fail.
    mutating func forgiveGuesses(provedBy key: PasscodeKey) throws(StatusError) {
        try change { store throws(StatusError) in
            var page = try store.lockPage(provedBy: key)
            page.forgive()
            try store.save(page)
        }
    }

    private mutating func save(_ keybag: Keybag) throws(StatusError) {
        let content = keybag.page
        try items.write(content, asPage: PageNumber.keybag)
        vouched.header.keybagDigest = Bytes32(digestOf: content)
        vouched.keybag = keybag
    }

    /// The lock page, provided that a proof is of the passcode that is set now.
    private func lockPage(provedBy key: PasscodeKey) throws(StatusError) -> LockPage {
        let page = try lockPage()
        guard vouched.keybag.derivation == key.derivation else {
            throw StatusError(.authenticationFailed, .passcodeWrong)
        }
        return page
    }

    mutating func setPasscode(_ new: PasscodeKey) throws(StatusError) {
        try change(scrubbing: true) { store throws(StatusError) in
            guard !store.vouched.keybag.passcodeIsSet else {
                throw StatusError(.authenticationFailed, .passcodeExists)
            }
            let (keybag, opened) = try store.vouched.keybag.wrapped(by: new, insteadOf: nil)
            try store.save(keybag)
            let page = LockPage(under: new)
            try store.unlock(with: opened, page, provedBy: new)
        }
    }

    mutating func changePasscode(from old: PasscodeKey, to new: PasscodeKey) throws(StatusError) {
        try change(scrubbing: true) { store throws(StatusError) in
            var page = try store.lockPage(provedBy: old)
            let (keybag, opened) = try store.vouched.keybag.wrapped(by: new, insteadOf: old)
            let accessControl = try page.accessControlKey(under: old, with: store.keys)
            page.rewrap(accessControl, under: new)
            try store.save(keybag)
            try store.unlock(with: opened, page, provedBy: new)
        }
    }

    /// Goes back to the device key alone; the items that exist only with a passcode go with it.
    ///
    /// - Returns: how many items were purged.
    mutating func removePasscode(_ old: PasscodeKey) throws(StatusError) -> Int {
        try change(scrubbing: true) { store throws(StatusError) in
            _ = try store.lockPage(provedBy: old)
            let keybag = try store.vouched.keybag.unwrapped(from: old)
            try store.save(keybag)
            try store.items.deletePage(PageNumber.lock)
            try store.items.deletePage(PageNumber.recipient)
            store.vouched.header.lockDigest = nil
            store.vouched.lock = nil
            return try store.purgeItemsNeedingPasscode()
        }
    }

    /// Counts the items that removing the passcode destroys; reads their access controls with the keys that it unwraps.
    mutating func countItemsNeedingPasscode(_ key: PasscodeKey) throws(StatusError) -> Int {
        try readHeader()
        _ = try lockPage(provedBy: key)
        let keybag = vouched.keybag
        defer { vouched.keybag = keybag }
        vouched.keybag = try keybag.unwrapped(from: key)
        return try items.read { () throws(StatusError) in
            try rowsNeedingPasscode().count { !$0.row.columns.tombstone }
        }
    }

    /// Writes the public key that items under access control are sealed for, unless it is there.
    private mutating func saveRecipient(
        of page: LockPage,
        _ key: AccessControlKey
    ) throws(StatusError) {
        let recipient = key.recipient
        let old = try items.page(PageNumber.recipient)
        if old.flatMap({ AccessRecipient(opening: $0, beside: page, with: keys) }) != recipient {
            try items.write(recipient.sealed(beside: page, with: keys), asPage: PageNumber.recipient)
        }
    }

    /// Unlocks with what a passcode opens beside the classes.
    ///
    /// - Returns: The key cache that stores the keys; `thisProcess` if no other process can use them.
    @discardableResult
    private mutating func unlock(
        with opened: UnlockedClassKeys,
        _ page: LockPage,
        provedBy key: PasscodeKey
    ) throws(StatusError) -> StoreStatus.KeyCache {
        let accessControl = try page.accessControlKey(under: key, with: keys)
        try saveRecipient(of: page, accessControl)
        return try unlock(with: opened, page)
    }

    /// Deletes every row that nothing opens any more: those of the class whose key is gone, and those whose constraints
    /// only the passcode satisfied.
    private mutating func purgeItemsNeedingPasscode() throws(StatusError) -> Int {
        let doomed = try rowsNeedingPasscode()
        var agrees: [UInt8: Bool] = [:]
        for stored in doomed {
            let bucket = stored.row.columns.identity.leadingByte
            let isSound: Bool
            if let known = agrees[bucket] {
                isSound = known
            } else {
                isSound = try presentSum(of: bucket) == sum(of: bucket)
            }
            agrees[bucket] = isSound
            if isSound { try delete(stored) } else { try deleteUnopened(stored) }
        }
        return doomed.count { !$0.row.columns.tombstone }
    }

    private mutating func rowsNeedingPasscode() throws(StatusError) -> [StoredRow] {
        var rows: [StoredRow] = []
        for rule in ProtectionRule.table {
            try items.forEachRow(.protection(rule.protection), secrets: false) {
                stored throws(StatusError) in
                if rule.needsPasscode || needsPerson(stored.row) { rows.append(stored) }
                return true
            }
        }
        return rows
    }

    /// Whether a row says that the user must be there; a damaged one says nothing, and stays.
    private mutating func needsPerson(_ row: ItemRow) -> Bool {
        let control = try? sealer.accessControl(of: row, with: &vouched.keybag)
        return control?.needsPerson == true
    }

    /// - Returns: The key cache that stores the keys; `thisProcess` if no other process can use them.
    mutating func unlock(with key: PasscodeKey) throws(StatusError) -> StoreStatus.KeyCache {
        try change { store throws(StatusError) in
            let page = try store.lockPage(provedBy: key)
            return try store.unlock(with: store.vouched.keybag.unlocked(by: key), page, provedBy: key)
        }
    }

    /// What a passcode that was proved right opens beside the classes.
    mutating func accessControlKey(provedBy key: PasscodeKey) throws(StatusError) -> AccessControlKey {
        try change { store throws(StatusError) in
            let page = try store.lockPage(provedBy: key)
            let accessControl = try page.accessControlKey(under: key, with: store.keys)
            try store.saveRecipient(of: page, accessControl)
            return accessControl
        }
    }
}
