// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainStore

/// The result of the agent's last attempt to synchronize, which `security sync status` shows.
///
/// If several attempts in a row had the same problem, `message` and `time` are those of the first of them.
struct SyncReport: Codable, Hashable, Sendable {
    /// The code of the problem; `nil` if the last attempt succeeded.
    var problem: String?
    var message: String?
    /// When `problem` last changed, in milliseconds since 1970.
    var time: UInt64

    /// Saves the result of an attempt, unless its problem is the same as the saved one.
    static func save(_ error: SyncError?, in keychain: EmbeddedKeychain) {
        let saved = load(from: keychain)
        guard saved == nil || saved?.problem != error?.code else { return }
        let report = SyncReport(
            problem: error?.code,
            message: error?.message,
            time: SystemTime.milliseconds()
        )
        guard let encoded = try? JSONEncoder().encode(report) else { return }
        do throws(StatusError) {
            try keychain.synchronize { session throws(StatusError) in
                // A store that has left its circle contains no pages of synchronization, and must not get one.
                guard try session.page(StatePage.cursor) != nil else { return }
                try session.write(Array(encoded), asPage: StatePage.report)
            }
        } catch {
            // Ignore the error, because the report is for information only.
        }
    }

    static func load(from keychain: EmbeddedKeychain) -> Self? {
        do throws(StatusError) {
            let page = try keychain.readSynchronization { session throws(StatusError) in
                try session.page(StatePage.report)
            }
            return page.flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
        } catch {
            return nil
        }
    }

    static func isPaused(_ keychain: EmbeddedKeychain) throws(SyncError) -> Bool {
        do throws(StatusError) {
            return try keychain.readSynchronization { session throws(StatusError) in
                try session.page(StatePage.pause) != nil
            }
        } catch {
            throw .store(error)
        }
    }
}

package struct SyncStatus: Codable, Hashable, Sendable {
    /// The version of these fields: incremented if one is removed or changes its meaning.
    package var schemaVersion = 1
    package var circle: String
    package var device: String
    package var name: String
    package var role: String
    package var epoch: UInt32
    package var generation: UInt32
    package var manifestVersion: UInt64
    /// The first 16 hexadecimal digits of the digest of the newest ``Manifest`` and of each device's newest ``Head``.
    ///
    /// It is equal on devices that have received the same manifest and heads.
    package var fingerprint: String
    package var cluster: String
    package var revision: UInt64
    package var sequence: UInt64
    package var devices: Int
    package var records: Int
    /// The number of local changes that were not pushed yet, without those of locked items.
    package var outbox: Int
    /// The number of changed rows that cannot be pushed; ``SyncStore/localOnly`` has the reasons.
    package var localOnly: Int
    /// The number of received records that wait for an unlock.
    package var locked: Int
    package var conflicts: Int
    /// The time of this device's last ``Head`` in etcd, in milliseconds since 1970; 0 before the first, also after a
    /// rebuild.
    package var lastHead: UInt64
    /// Whether the server has acknowledged no ``Head`` for 48 hours, although the device writes one each day.
    package var isOutOfContact: Bool
    /// Whether a ``Head`` has a time that is more than 24 hours ahead of this device's clock.
    package var isClockBehind: Bool
    package var paused: Bool
    /// The code of the agent's last problem; `nil` if its last attempt succeeded.
    package var problem: String?
    package var message: String?
    /// When `problem` last changed, in milliseconds since 1970; `nil` before the agent's first attempt.
    package var since: UInt64?
    /// The agent's counts when it last saved them, at its periodic work or its end; `nil` if it has saved none.
    package var metrics: SyncMetrics.Counts?
}

extension SyncStore {
    package func status() throws(SyncError) -> SyncStatus {
        let state = try state()
        let report = SyncReport.load(from: keychain)
        let unsent = try countUnsent()
        return SyncStatus(
            circle: state.circle.hexadecimal,
            device: state.identifier.hexadecimal,
            name: state.name,
            role: state.member?.role.name ?? "removed",
            epoch: state.manifest?.epoch ?? 0,
            generation: state.manifest?.generation ?? 0,
            manifestVersion: state.manifest?.version ?? 0,
            fingerprint: state.fingerprint,
            cluster: String(state.cursor.cluster, radix: 16),
            revision: state.cursor.revision,
            sequence: state.cursor.sequence,
            devices: state.manifest?.members.count ?? 0,
            records: state.records.values.count { $0.kind == .item && $0.digest != .zero },
            outbox: unsent.outbox,
            localOnly: unsent.localOnly,
            locked: state.records.values.count { !$0.pending.isEmpty },
            conflicts: try conflictCount(),
            lastHead: state.cursor.headTime,
            isOutOfContact: isOutOfContact(state),
            isClockBehind: isClockBehind(state),
            paused: try SyncReport.isPaused(keychain),
            problem: report?.problem,
            message: report?.message,
            since: report?.time,
            metrics: SyncMetrics.Counts.load(from: keychain)
        )
    }

    /// Returns how many of the entries are records that this device has neither written nor received.
    func newRecordCount(in entries: [EtcdEntry]) throws(SyncError) -> Int {
        let state = try state()
        return entries.count { entry in
            guard entry.key.hasPrefix(state.paths.records),
                let name = Bytes32(hexadecimal: entry.key.dropFirst(state.paths.records.count))
            else { return false }
            return state.records[name].map { $0.revision < entry.revision } ?? true
        }
    }

    private func isOutOfContact(_ state: LocalState) -> Bool {
        let (last, now) = (state.cursor.headTime, clock())
        return state.member?.role.writes == true && last > 0 && now > last && now - last > 2 * 86_400_000
    }

    private func isClockBehind(_ state: LocalState) -> Bool {
        let limit = clock() + 86_400_000
        return state.heads.values.contains { $0.content.time > limit }
    }

    /// Pauses or resumes synchronization; a running agent notices at once.
    package func setPaused(_ isPaused: Bool) throws(SyncError) {
        try write { session throws(StatusError) in
            if isPaused {
                try session.write([1], asPage: StatePage.pause)
            } else {
                try session.deletePage(StatePage.pause)
            }
        }
    }
}

extension LocalState {
    fileprivate var fingerprint: String {
        var writer = FieldWriter()
        if let manifest { writer.append(manifest.digest) }
        for (device, known) in heads.sorted(by: { $0.key.hexadecimal < $1.key.hexadecimal }) {
            writer.append(device)
            writer.append(known.head.sequence)
            writer.append(known.head.digest)
        }
        let digest = SynchronizationCryptography.digest("kc-view-1", writer.bytes)
        return String(digest.bytes.hexadecimal.prefix(16))
    }
}
