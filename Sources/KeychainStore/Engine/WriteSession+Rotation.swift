// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Rotates the class keys, with one transaction for each step.
///
/// The keybag contains former keys as long as rows may need them, and thus shows whether a rotation is in progress.
/// Every change of an item encrypts it under the new key, so the number of rows under former keys never grows.
extension WriteSession {
    /// Adds a new key for each class, unless a rotation has begun.
    ///
    /// With the key of a verified passcode, the keychain is unlocked as well.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists` if `key` is `nil`, a passcode is set, and no
    ///   rotation has begun; errors of ``lockPage(provedBy:)`` if the passcode was changed or removed meanwhile.
    func beginRotation(provedBy key: PasscodeKey?) throws(StatusError) {
        try change { () throws(StatusError) in
            let keybag = state.keys.keybag
            guard let key else {
                if !keybag.isRotating { try save(keybag.rotated(by: nil).keybag) }
                return
            }
            let page = try lockPage(provedBy: key)
            guard !keybag.isRotating else {
                return _ = try unlock(with: keybag.unlocked(by: key), page, provedBy: key)
            }
            let (rotated, opened) = try keybag.rotated(by: key)
            try save(rotated)
            try unlock(with: opened, page, provedBy: key)
        }
    }

    /// How many rows a batch has processed and re-encrypted.
    struct RotatedBatch: Sendable {
        var count = 0
        var rotated = 0
        /// The number of rows that were left unchanged because they are damaged.
        var damaged = 0
    }

    /// The limits of a batch, so that other writers do not wait long.
    private static let (batchRows, batchBytes) = (256, 1 << 20)

    /// Re-encrypts the rows with the given numbers under the current keys, until a limit of a batch is reached.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if the protection class of a row is locked.
    func rotate(_ numbers: ArraySlice<Int64>) throws(StatusError) -> RotatedBatch {
        try change { () throws(StatusError) in
            var (batch, bytes) = (RotatedBatch(), 0)
            for number in numbers.prefix(Self.batchRows) {
                guard bytes < Self.batchBytes else { break }
                batch.count += 1
                do throws(StatusError) {
                    guard let stored = try rows.row(.number(number), secrets: true),
                        stored.row.columns.keyParity != state.keys.keybag.parity
                    else { continue }
                    let row = try ItemSealer(keys: store.keys).resealed(stored.row, with: state.keys)
                    try replace(stored, with: row)
                    bytes += row.attributes.count + (row.secret?.count ?? 0)
                    batch.rotated += 1
                } catch {
                    guard error.isDamageOfRow else { throw error }
                    batch.damaged += 1
                }
            }
            return batch
        }
    }

    /// Removes the former keys if no row needs them; returns whether the keybag has no former keys now.
    ///
    /// It also empties the write-ahead log, which contains the former wrapped keys and rows encrypted with them.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` while the keychain is locked.
    func finishRotation() throws(StatusError) -> Bool {
        try change(scrubbing: true) { () throws(StatusError) in
            let keybag = state.keys.keybag
            guard keybag.isRotating else { return true }
            guard try rows.rowNumbers(under: keybag.parity.other, limit: 1).isEmpty else { return false }
            var kept: UnlockedClassKeys?
            if state.lock != nil {
                kept = state.keys.source?.cachedKeys(with: store.keys)?.ofParity(keybag.parity)
                guard kept != nil else { throw StatusError(.interactionNotAllowed, .classKeyAbsent) }
            }
            try SynchronizationSession.resealPages(in: self)
            try save(keybag.withoutFormerKeys())
            // Start a new lock epoch, which removes the former keys from the key caches of all processes.
            if let kept, let page = state.lock { try unlock(with: kept, page) }
            return true
        }
    }
}

extension StatusError {
    /// Whether the error means that a row is damaged.
    ///
    /// With `passcodeNotSet`, the row's class requires a passcode although none is set, so its key is lost.
    var isDamageOfRow: Bool {
        reason == .recordDamaged || reason == .passcodeNotSet
    }
}
