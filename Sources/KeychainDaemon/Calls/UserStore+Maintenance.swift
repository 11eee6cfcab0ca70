// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// The rotation of keys, and the repair of a damaged store.
extension UserStore {
    /// Makes new class keys, unless a rotation has begun; an empty passcode stands for none.
    func beginKeyRotation(_ passcode: borrowing SecretBytes) throws(StatusError) {
        let given = SecretBytes(copying: passcode)
        try use { keychain throws(StatusError) in
            guard given.count > 0 else { return try keychain.beginKeyRotation() }
            try keychain.beginKeyRotation(with: given)
        }
    }

    func rotationStatus() throws(StatusError) -> RotationStatus {
        var status = rotation.status
        status.isRotating = try use { keychain throws(StatusError) in try keychain.isRotatingKeys() }
        return status
    }

    /// Continues an interrupted rotation of keys in the background.
    func resumeKeyRotation() {
        do throws(StatusError) {
            let isRotating = try use { keychain throws(StatusError) in try keychain.isRotatingKeys() }
            if isRotating { rotation.start(self) }
        } catch {
            // A call that uses this store reports the error.
        }
    }

    /// Continues a rotation of keys that was interrupted when the daemon ended.
    ///
    /// Without such a rotation, the store does not stay open.
    ///
    /// If the keychain is locked, the rotation continues after the next unlock.
    func resumeKeyRotationAtStart() {
        do throws(StatusError) {
            guard try EmbeddedKeychain(at: location(creating: false)).isRotatingKeys() else { return }
            rotation.start(self)
        } catch {
            // Most users have no store.
        }
    }

    /// Repairs the store as `security repair` does without a daemon.
    ///
    /// The summary does not name access groups that the caller does not have.
    func repair(dryRun: Bool, for caller: Caller) throws(StatusError) -> RepairSummary {
        let suffix = String(SystemClock.unixMilliseconds / 1_000)
        defer { if !dryRun { close() } }
        var summary = try EmbeddedKeychain.repair(
            at: location(creating: false),
            dryRun: dryRun,
            named: suffix
        ) { _, _ in true }
        summary.verification = summary.verification.shown(to: caller)
        return summary
    }
}
