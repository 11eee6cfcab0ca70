// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// A record of etcd whose author, name and content were verified.
struct VerifiedRecord: Sendable {
    let record: Record
    let content: RecordContent
    let revision: UInt64
}

/// Changes of etcd that were verified, but not yet applied.
struct VerifiedChanges: Sendable {
    var manifests: [Manifest]
    var keys: [UInt32: EpochKeys]
    var heads: [Bytes16: KnownHead]
    var records: [VerifiedRecord] = []
    /// The names of records that etcd no longer has.
    var absent: [Bytes32] = []
    var total: RecordSum
    let revision: UInt64
    let cluster: UInt64
}

/// Verifies the data that etcd returns, before any of it is applied.
struct ChangeVerifier {
    private let state: LocalState
    private let paths: CirclePaths
    private var result: VerifiedChanges
    /// Whether the entries to verify are all keys of the circle at one revision of etcd.
    private let isComplete: Bool
    /// Whether the entries contain each version of a key that is newer than the version this device knew.
    private let isStreaming: Bool

    private init(
        _ state: LocalState,
        revision: UInt64,
        cluster: UInt64,
        isComplete: Bool,
        isStreaming: Bool
    ) {
        self.state = state
        self.isComplete = isComplete
        self.isStreaming = isStreaming
        paths = state.paths
        result = VerifiedChanges(
            manifests: state.manifests,
            keys: state.keys,
            heads: isComplete ? [:] : state.heads,
            total: isComplete ? .zero : state.total,
            revision: revision,
            cluster: cluster
        )
    }

    /// Verifies changes up to a revision.
    ///
    /// - Throws: `inconsistent` if, for example, a signature, a name or the sum over the records is wrong, or if the
    ///   circle was rebuilt; `rolledBack` if a ``Head`` is older than before or missing; `deviceKeyUsedTwice` if
    ///   another copy of this store has written; `removed` if the newest manifest lacks this device; `updateNeeded` for
    ///   an unknown format of a record, head or manifest; `manifestInvalid` if a manifest is no valid successor.
    static func verify(
        _ entries: [EtcdEntry],
        revision: UInt64,
        cluster: UInt64,
        isComplete: Bool,
        isStreaming: Bool = false,
        with state: LocalState
    ) throws(SyncError) -> VerifiedChanges {
        var verifier = Self(
            state,
            revision: revision,
            cluster: cluster,
            isComplete: isComplete,
            isStreaming: isStreaming
        )
        for entry in entries.sorted(by: { $0.key < $1.key })
        where entry.key.hasPrefix(verifier.paths.manifests) {
            try verifier.takeManifest(entry)
        }
        guard let manifest = verifier.manifest, manifest.member(state.identifier) != nil else {
            throw .removed
        }
        // The circle was rebuilt, and its records have new names: `SyncAgent.startNewGeneration(after:)` handles this
        // error.
        guard manifest.generation == state.manifest?.generation else { throw .inconsistent }
        for entry in entries where entry.key.hasPrefix(verifier.paths.heads) { try verifier.takeHead(entry) }
        for entry in entries where entry.key.hasPrefix(verifier.paths.records) {
            try verifier.takeRecord(entry)
        }
        if isComplete { try verifier.findAbsent(entries) }
        try verifier.checkSum()
        try verifier.checkSeen()
        return verifier.result
    }

    private var manifest: Manifest? { result.manifests.last }

    /// The first key epoch since the circle was last rebuilt; devices removed before know the keys of earlier epochs.
    private var firstEpoch: UInt32 {
        result.manifests.first { $0.generation == manifest?.generation }?.epoch ?? 1
    }

    private mutating func takeManifest(_ entry: EtcdEntry) throws(SyncError) {
        guard entry.value != nil else { return }
        let manifest = try Manifest(entry)
        guard entry.key == paths.manifest(manifest.version) else { throw .manifestInvalid }
        if let known = result.manifests.first(where: { $0.version == manifest.version }) {
            guard known == manifest else { throw .manifestInvalid }
            return
        }
        guard let last = result.manifests.last, manifest.isValid(after: last) else { throw .manifestInvalid }
        result.manifests.append(manifest)
        if let keys = manifest.keys(of: state.device) { result.keys[keys.epoch] = keys }
    }

    /// Verifies a received ``Head``; ignores a late event with an older head than the known one of the same device.
    ///
    /// - Throws: `inconsistent` if the head is not authentic or does not follow the known head; `updateNeeded` if it
    ///   has an unknown format; `deviceKeyUsedTwice` if another copy of this store has written it; `rolledBack` if
    ///   etcd has replaced the known head with an older one.
    private mutating func takeHead(_ entry: EtcdEntry) throws(SyncError) {
        guard let value = entry.value else { return }
        guard let head = Head(decoding: value) else { throw .undecodable(value, Head.magic, .inconsistent) }
        guard entry.key == paths.head(head.device.hexadecimal), head.circle == state.circle else {
            throw .inconsistent
        }
        // Ignore the head of a removed device: the manifest has the sequence number of that device's last valid record.
        if manifest?.removal(of: head.device) != nil { return }
        guard let judging = result.manifests.first(where: { $0.digest == head.manifest }),
            let member = judging.member(head.device), member.role.writes, judging.epoch == head.epoch,
            head.generation == judging.generation, judging.generation == manifest?.generation,
            head.isSigned(by: member.keys.sign),
            let content = result.keys[head.epoch].flatMap({ head.open(under: $0) })
        else { throw .inconsistent }
        if let known = state.heads[head.device] {
            if head.sequence == known.head.sequence, head.encoded != known.head.encoded {
                throw head.device == state.identifier ? .deviceKeyUsedTwice : .inconsistent
            }
            if head.sequence < known.head.sequence {
                guard entry.revision < known.revision, !isComplete else { throw .rolledBack }
                return
            }
            let isNext = head.sequence == known.head.sequence || head.previous == known.head.digest
            guard isNext || !isStreaming else { throw .inconsistent }
        }
        result.heads[head.device] = KnownHead(head: head, content: content, revision: entry.revision)
    }

    private mutating func takeRecord(_ entry: EtcdEntry) throws(SyncError) {
        guard let value = entry.value else { return try takeDeletion(entry) }
        guard let record = Record(decoding: value) else {
            throw .undecodable(value, Record.magic, .inconsistent)
        }
        let header = record.header
        let known = state.records[header.name]
        if let known, known.revision >= entry.revision, !isComplete { return }
        guard entry.key == paths.record(header.name.bytes.hexadecimal), header.circle == state.circle,
            header.generation == manifest?.generation, header.epoch >= firstEpoch, try isAuthorized(record),
            let keys = result.keys[header.epoch]
        else { throw .inconsistent }
        if isComplete { result.total += record.term }
        if let known, known.digest == record.digest { return }
        if !isComplete {
            if let known, known.digest != .zero { result.total -= known.term }
            result.total += record.term
        }
        guard let content = record.open(under: keys) else { throw .updateNeeded }
        if let item = content.item, keys.name(of: item) != header.name { throw .inconsistent }
        result.records.append(VerifiedRecord(record: record, content: content, revision: entry.revision))
    }

    /// Returns whether the record has the signature of its author, and a sequence number that the author has used.
    ///
    /// The author's ``Head`` contains the last number; for a removed device, the manifest does.
    private func isAuthorized(_ record: Record) throws(SyncError) -> Bool {
        let header = record.header
        guard let manifest, let key = manifest.signingKey(of: header.device), record.isSigned(by: key) else {
            return false
        }
        if let removal = manifest.removal(of: header.device) { return header.sequence <= removal.sequence }
        guard let head = result.heads[header.device]?.head else { return false }
        return header.sequence <= head.sequence
    }

    private mutating func takeDeletion(_ entry: EtcdEntry) throws(SyncError) {
        let digits = entry.key.dropFirst(paths.records.count)
        guard let name = Bytes32(hexadecimal: digits), let known = state.records[name], known.digest != .zero,
            known.revision < entry.revision
        else { return }
        result.total -= known.term
        result.absent.append(known.name)
    }

    private mutating func findAbsent(_ entries: [EtcdEntry]) throws(SyncError) {
        let present = Set(entries.map(\.key))
        for record in state.records.values
        where record.digest != .zero && !present.contains(paths.record(record.name.bytes.hexadecimal)) {
            result.absent.append(record.name)
        }
        // A head that this device has received cannot disappear, except that of a removed device.
        for (device, _) in state.heads where result.heads[device] == nil {
            guard manifest?.removal(of: device) != nil else { throw .rolledBack }
        }
    }

    private func checkSum() throws(SyncError) {
        var sum = RecordSum.zero
        for (device, known) in result.heads where manifest?.removal(of: device) == nil {
            sum += known.content.sum
        }
        for removed in manifest?.removed ?? [] { sum += removed.sum }
        guard sum == result.total else { throw .inconsistent }
    }

    /// Checks that no device has seen a newer head of another device than the one in etcd.
    ///
    /// Only new heads are checked: the others were checked when they were new, and no head gets older.
    private func checkSeen() throws(SyncError) {
        for known in result.heads.values
        where state.heads[known.head.device]?.head.sequence != known.head.sequence {
            for (device, sequence) in known.content.seen {
                guard let head = result.heads[device]?.head else { continue }
                guard head.sequence >= sequence else { throw .inconsistent }
            }
        }
    }
}
