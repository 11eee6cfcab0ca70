// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import Synchronization

/// Records the calls of one connection in the audit log.
///
/// The first of several equal reads (or uses of a key) within a minute becomes a record at once. The others are
/// counted, and become one record when there are 256, at the next equal read after the minute, or when the connection
/// ends. So a daemon that is killed loses the count of fewer than 256 equal reads. While 64 different reads are
/// counted, any other read becomes a record of its own.
final class SessionAudit: Sendable {
    private struct ReadKey: Hashable {
        let kind: CallKind
        let itemClass: String
        let accessGroup: String
        let result: Int32
    }

    private struct Reads {
        let minute: UInt64
        var calls = 0
        var count = 0
        var microseconds: UInt64 = 0
    }

    private let log: AuditLog
    private let caller: CallerIdentity
    private let process: Int32
    private let reads = Mutex<[ReadKey: Reads]>([:])
    private static let keyLimit = 64
    private static let readLimit = 256

    init(_ log: AuditLog, _ caller: CallerIdentity, process: Int32) {
        self.log = log
        self.caller = caller
        self.process = process
        log.append(event(.connect))
    }

    deinit { for (key, reads) in reads.withLock({ $0 }) { append(reads, key) } }

    static func refuse(_ peer: Peer, _ error: StatusError, in log: AuditLog) {
        var event = AuditEvent(.refuse, user: peer.user, process: peer.process)
        event.result = error.status.rawValue
        log.append(event)
    }

    /// Records that a call, or the further use of the connection, was refused after the handshake.
    ///
    /// Some calls are only for the program `keychain-agent`, which asks for passcodes. They are refused to other
    /// programs, and all other calls are refused to `keychain-agent`. The connection is refused if a program other than
    /// the identified one uses it.
    func refuse(_ error: StatusError) {
        var event = event(.refuse)
        event.result = error.status.rawValue
        log.append(event)
    }

    private func event(_ operation: AuditEvent.Operation) -> AuditEvent {
        AuditEvent(
            operation,
            user: caller.user,
            process: process,
            level: caller.level,
            program: caller.caller.applicationIdentifier,
            executable: caller.executable.map { String(Hexadecimal.text($0.bytes).prefix(16)) } ?? ""
        )
    }

    func record(_ call: DaemonCall, _ reply: DaemonReply, microseconds: UInt64) {
        let kind = call.kind
        guard kind != .status else { return }
        let subject = CallSubject(call, of: caller.caller)
        guard kind != .read, kind != .use else {
            if subject.readsValues { record(kind, of: subject, reply, microseconds) }
            return
        }
        var event = event(.call(kind))
        event.itemClass = subject.itemClass
        event.accessGroup = subject.accessGroup
        event.result = reply.status.rawValue
        event.count = if case .adoption(let result) = reply { Int(result.moved) } else { subject.count }
        event.microseconds = microseconds
        log.append(event, isDeletion: call.mustNotFailOnFullDisk)
    }

    /// Reads with these results are recorded: those that returned values, and those that were refused.
    private static let recordedResults: [Status] = [
        .success, .missingEntitlement, .authenticationFailed, .interactionNotAllowed,
    ]

    private func record(
        _ kind: CallKind,
        of subject: CallSubject,
        _ reply: DaemonReply,
        _ microseconds: UInt64
    ) {
        // Record every use of a key, even if it fails with `itemNotFound`: the key may be in an access group that the
        // caller lacks.
        guard Self.recordedResults.contains(reply.status) || kind == .use else { return }
        let key = ReadKey(
            kind: kind,
            itemClass: subject.itemClass,
            accessGroup: subject.accessGroup,
            result: reply.status.rawValue
        )
        let minute = SystemClock.milliseconds / 60_000
        let ended: (isFirst: Bool, reads: Reads?) = reads.withLock { reads in
            if var known = reads[key], known.minute == minute {
                known.calls += 1
                known.count += reply.itemCount
                known.microseconds += microseconds
                let isFull = known.calls == Self.readLimit
                reads[key] = isFull ? Reads(minute: minute) : known
                return (false, isFull ? known : nil)
            }
            let ended = reads.removeValue(forKey: key)
            if reads.count < Self.keyLimit { reads[key] = Reads(minute: minute) }
            return (true, ended)
        }
        if let reads = ended.reads { append(reads, key) }
        guard ended.isFirst else { return }
        append(Reads(minute: minute, count: reply.itemCount, microseconds: microseconds), key, isFirst: true)
    }

    private func append(_ reads: Reads, _ key: ReadKey, isFirst: Bool = false) {
        guard reads.count > 0 || isFirst else { return }
        var event = event(.call(key.kind))
        event.itemClass = key.itemClass
        event.accessGroup = key.accessGroup
        event.result = key.result
        event.count = reads.count
        event.microseconds = reads.microseconds
        log.append(event)
    }
}

/// The item class and the access group that a call concerns, and its number of changes.
private struct CallSubject {
    var itemClass = ""
    var accessGroup = ""
    var count = 0
    var readsValues = false

    private init() {}

    init(_ call: DaemonCall, of caller: Caller) {
        self.init()
        switch call {
        case .perform(let request, _): self = Self(request, of: caller)
        case .performTogether(let requests, _, _): count = requests.count
        case .migrate(let items, _): count = items.count
        case .adoption(let call):
            switch call.operation {
            case .list: break
            case .move(let source, let target): accessGroup = "\(source) > \(target)"
            case .moveTeam(let source, let target): accessGroup = "\(source).* > \(target).*"
            }
        default: break
        }
    }

    private init(_ request: Request, of caller: Caller) {
        self.init()
        switch request {
        case .copy(let copy):
            self = Self(copy.filter.itemClass, copy.filter.attributes)
            readsValues = copy.returning.needValue(of: copy.filter.itemClass)
        case .copyIdentities(let copy):
            self = Self(.identity, copy.filter.key.attributes)
            readsValues = true
        case .add(let item): self = Self(item.itemClass, item.attributes, default: caller)
        case .addIdentity(let identity):
            self = Self(.identity, identity.key.attributes, default: caller)
        case .update(let update): self = Self(update.filter.itemClass, update.filter.attributes)
        case .set(let set): self = Self(set.item.itemClass, set.item.attributes, default: caller)
        case .delete(let delete): self = Self(delete.filter.itemClass, delete.filter.attributes)
        case .deleteIdentities(let delete): self = Self(.identity, delete.filter.key.attributes)
        case .updateEach(let updates): count = updates.count
        case .deleteEach(let deletes): count = deletes.count
        case .makeTokenKey(let item): self = Self(item.itemClass, item.attributes, default: caller)
        case .useTokenKey(let use):
            (itemClass, count, readsValues) = (use.key.itemClass.name, 1, true)
        case .status: break
        }
    }

    private init(_ itemClass: ItemClass, _ attributes: Attributes, default caller: Caller? = nil) {
        self.itemClass = itemClass.name
        count = 1
        if case .string(let group)? = attributes[.accessGroup] {
            accessGroup = group
        } else {
            accessGroup = caller?.writableGroups.first ?? ""
        }
    }
}

extension DaemonReply {
    var status: Status {
        switch self {
        case .failure(let error), .undone(_, let error): error.status
        default: .success
        }
    }

    fileprivate var itemCount: Int {
        if case .response(.items(let items)) = self { items.count } else { 1 }
    }
}
