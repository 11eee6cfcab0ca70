// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore

extension EmbeddedKeychain {
    func verified() throws -> StoreVerification { try verifyRows { _, _ in true } }
}

struct Backup {
    static let passphrase = "canary passphrase"
    /// A low key derivation cost, to make the tests fast.
    static let cost = PasscodeCost(doublings: 4)

    var bytes: [UInt8] = []
    private(set) var summary = BackupSummary()

    static func secret(_ text: String) -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    init(of keychain: EmbeddedKeychain) throws {
        var written: [UInt8] = []
        let passphrase = Self.secret(Self.passphrase)
        summary = try keychain.backUp(under: passphrase, cost: Self.cost, { _, _ in true }) { written += $0 }
        bytes = written
    }

    @discardableResult
    func restore(
        into keychain: EmbeddedKeychain,
        passphrase: String = passphrase,
        conflicts: RestoreConflict = .fail,
        dryRun: Bool = false,
        progress: MaintenanceProgress = { _, _ in true }
    ) throws -> RestoreSummary {
        let rest = Rest(bytes)
        let reader = try BackupReader(under: Self.secret(passphrase)) { count in rest.take(count) }
        return try keychain.restore(reader, conflicts: conflicts, dryRun: dryRun, progress)
    }

    private final class Rest {
        private var bytes: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

        func take(_ count: Int) -> [UInt8] {
            defer { bytes = bytes.dropFirst(count) }
            return Array(bytes.prefix(count))
        }
    }
}
