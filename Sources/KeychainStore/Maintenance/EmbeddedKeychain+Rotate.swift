// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension EmbeddedKeychain {
    /// Returns whether a rotation of the class keys has begun and not ended.
    package func isRotatingKeys() throws(StatusError) -> Bool {
        try read { session throws(StatusError) in
            try session.reload()
            return session.state.keys.keybag.isRotating
        }
    }

    /// Returns whether ``resumeKeyRotation(_:)`` can encrypt a row or remove the former keys.
    ///
    /// It can do neither if no rotation has begun, or if all rows under former keys are damaged.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if a row that it tries to decrypt is locked.
    package func canContinueKeyRotation() throws(StatusError) -> Bool {
        try read { session throws(StatusError) in
            try session.readCurrent { () throws(StatusError) in
                let keybag = session.state.keys.keybag
                guard keybag.isRotating else { return false }
                let numbers = try session.rows.rowNumbers(under: keybag.parity.other)
                guard !numbers.isEmpty else { return true }
                for number in numbers where try session.canRotate(number) { return true }
                return false
            }
        }
    }

    /// Makes new class keys, unless a rotation has begun; ``resumeKeyRotation(_:)`` re-encrypts the rows.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists` if a passcode is set and no rotation has begun.
    package func beginKeyRotation() throws(StatusError) {
        try write { session throws(StatusError) in try session.beginRotation(provedBy: nil) }
    }

    /// Makes new class keys wrapped with the passcode, unless a rotation has begun; unlocks the keychain.
    ///
    /// - Throws: Errors of ``unlock(with:)``.
    package func beginKeyRotation(with passcode: borrowing SecretBytes) throws(StatusError) {
        try prove(passcode) { session, proof throws(StatusError) in
            try session.beginRotation(provedBy: proof)
        }
    }

    /// Encrypts all rows under the new class keys, in batches, and then removes the former keys.
    ///
    /// Other threads and processes can read and change items meanwhile. After an error or the end of the
    /// process, another call continues. Damaged rows stay as they are; the former keys are then not removed.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if the keychain is locked; `userCanceled` if
    ///   `progress` returned false.
    package func resumeKeyRotation(
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RotationSummary {
        var summary = RotationSummary()
        while true {
            summary.damaged = 0
            let numbers = try read { session throws(StatusError) in
                try session.readCurrent { () throws(StatusError) in
                    let keybag = session.state.keys.keybag
                    return keybag.isRotating ? try session.rows.rowNumbers(under: keybag.parity.other) : []
                }
            }
            var done = 0
            while done < numbers.count {
                guard progress(done, numbers.count) else { throw RowScan.canceled }
                let batch = try write { session throws(StatusError) in
                    try session.rotate(numbers[done...])
                }
                done += batch.count
                summary.rotated += batch.rotated
                summary.damaged += batch.damaged
            }
            guard progress(done, numbers.count) else { throw RowScan.canceled }
            summary.isComplete = try write { session throws(StatusError) in try session.finishRotation() }
            guard !summary.isComplete, summary.damaged == 0 else { return summary }
        }
    }
}

extension ReadSession {
    /// Returns whether a row can be encrypted under the current keys; false if it is damaged.
    fileprivate func canRotate(_ number: Int64) throws(StatusError) -> Bool {
        do throws(StatusError) {
            guard let stored = try rows.row(.number(number), secrets: true) else { return false }
            _ = try ItemSealer(keys: store.keys).resealed(stored.row, with: state.keys)
            return true
        } catch {
            guard error.isDamageOfRow else { throw error }
            return false
        }
    }
}
