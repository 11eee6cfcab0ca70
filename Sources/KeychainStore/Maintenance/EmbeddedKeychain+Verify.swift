// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension EmbeddedKeychain {
    /// Verifies all rows of one snapshot: decrypts each, and compares rows, digests, indexes and header.
    ///
    /// Verifying does not block writers. Rows of locked classes, and rows whose access control has constraints,
    /// are counted but not decrypted.
    ///
    /// - Throws: `userCanceled` if `progress` returned false; `undecodable` if the header, the lock page or the keybag
    ///   is damaged.
    package func verifyRows(_ progress: MaintenanceProgress) throws(StatusError) -> StoreVerification {
        try read { session throws(StatusError) in
            try session.readCurrent { () throws(StatusError) in try Self.verify(session, progress) }
        }
    }

    private static func verify(
        _ session: ReadSession,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> StoreVerification {
        var check = RowCheck(keys: session.store.keys, classKeys: session.state.keys)
        _ = try check.run(on: session.rows, header: session.state.header, progress) { _ in }
        return check.finished()
    }
}
