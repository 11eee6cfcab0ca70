// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainStore
import Synchronization

/// Executes the calls of clients that have completed the handshake.
///
/// The caller is determined once for each connection; messages cannot change it.
final class CallHandler: Sendable {
    let stores: StoreTable
    private let counters: Counters
    private let table: ConnectionTable
    private let audit: AuditLog
    /// Limits how many keys are derived from passcodes and how many stores are verified at the same time.
    ///
    /// Each derivation needs up to 256 MiB.
    private let derivations = UserGate(limit: 2, waitMilliseconds: 120_000)
    let limits: ServerLimits
    private let identification: Identification
    let prompts: PromptTable
    /// The token that makes and uses private keys; `nil` if this build has none.
    let token: (any PrivateKeyToken)?

    init(
        _ stores: StoreTable,
        _ counters: Counters,
        _ table: ConnectionTable,
        _ audit: AuditLog,
        _ configuration: ServerConfiguration,
        _ identification: Identification,
        _ alarm: Alarm
    ) {
        self.audit = audit
        self.identification = identification
        prompts = PromptTable(seconds: configuration.limits.promptSeconds) { alarm.ring() }
        token = configuration.token
        limits = configuration.limits
        self.stores = stores
        self.counters = counters
        self.table = table
    }

    func reply(to body: [UInt8], for session: Session) -> WireWriter {
        let start = SystemClock.nanoseconds
        let (call, reply) = execute(body, for: session)
        // The call may have begun a rotation of keys, or unlocked a keychain whose rotation was interrupted.
        if let call, call.derivesKey, reply.status == .success {
            stores.store(of: session.identity.user).resumeKeyRotation()
        }
        let nanoseconds = SystemClock.nanoseconds - start
        counters.count(call?.kind ?? .status, nanoseconds: nanoseconds, failed: reply.status != .success)
        if let call { session.audit.record(call, reply, microseconds: nanoseconds / 1_000) }
        var writer = WireWriter()
        writer.value(reply)
        guard writer.bytes.count > WireLimit.message else { return writer }
        writer.erase()
        writer.value(DaemonReply.failure(StatusError(.dataTooLarge, .tooMuchWork)))
        return writer
    }

    /// Executes an encoded call; returns it with its reply, or `nil` and a failure if it is malformed.
    private func execute(_ body: [UInt8], for session: Session) -> (DaemonCall?, DaemonReply) {
        do throws(StatusError) {
            let (header, call) = try WireReader.decode(body, entries: WireLimit.entries) {
                reader throws(StatusError) in
                (try reader.value(CallHeader.self), try reader.value(DaemonCall.self))
            }
            return (call, execute(call, header, for: session))
        } catch {
            return (nil, .failure(error))
        }
    }

    private func execute(_ call: DaemonCall, _ header: CallHeader, for session: Session) -> DaemonReply {
        do throws(StatusError) {
            // After the deadline the client has reported a timeout, so the call must have no effect.
            guard SystemClock.milliseconds < header.deadline else {
                throw StatusError(.notAvailable, .daemonTimeout)
            }
            guard call.isChange else { return attempt(call, header, for: session) }
            try audit.prepare(isDeletion: call.mustNotFailOnFullDisk)
            let program = session.identity.caller.applicationIdentifier
            return stores.store(of: session.identity.user).results.apply(header, of: program) {
                attempt(call, header, for: session)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Performs a call; on a full disk, a call that stores no items may use the space of the ``DiskReserve``.
    private func attempt(_ call: DaemonCall, _ header: CallHeader, for session: Session) -> DaemonReply {
        let perform = { () -> DaemonReply in
            do throws(StatusError) {
                return try self.admit(call, header, for: session)
            } catch {
                return .failure(error)
            }
        }
        guard let reserve = stores.reserve, !call.storesItems else { return perform() }
        return reserve.repeatIfFull(perform)
    }

    /// Performs a call if the caller is permitted to, and `checkLimits` permits it.
    ///
    /// Limits how many calls at once derive a key or read a whole store. Limits the size of the reply to other calls.
    private func admit(
        _ call: DaemonCall,
        _ header: CallHeader,
        for session: Session
    ) throws(StatusError) -> DaemonReply {
        let caller = session.identity.caller
        guard call.isOfAgent == session.identity.isAgent else {
            let error = StatusError(.missingEntitlement, .callerRefused)
            session.audit.refuse(error)
            throw error
        }
        // A program without an access group, such as one whose executable was deleted, must not affect all of the
        // user's items, for example lock them.
        if stores.isOfSystem, call.concernsStore, caller.accessGroups.isEmpty, !caller.reachesEveryGroup {
            throw StatusError(.missingEntitlement, .callerRefused)
        }
        try checkLimits(of: call, session.identity.user)
        if call.derivesKey || call.readsWholeStore {
            return try derivations.enter(session.identity.user, until: header.deadline) {
                () throws(StatusError) in try dispatch(call, for: session)
            }
        }
        return try ReplySize.limited(to: WireLimit.message) { () throws(StatusError) in
            try dispatch(call, for: session)
        }
    }

    /// Checks that the user's store may grow, and that new items can be opened without a fingerprint.
    ///
    /// - Throws: For example, `diskFull` with `storeFull` or `diskNearlyFull`; `authenticationFailed` with
    ///   `constraintUnsatisfiable`.
    private func checkLimits(of call: DaemonCall, _ user: uid_t) throws(StatusError) {
        // The system service does not use the fingerprint sensor: an item that requires one could never be opened.
        if stores.isOfSystem,
            call.newAccessControls.contains(where: { !$0.canBeSatisfied(withFingerprints: false) })
        {
            throw StatusError(.authenticationFailed, .constraintUnsatisfiable, attribute: .accessControl)
        }
        guard call.storesItems, let limit = limits.store else { return }
        guard stores.freeBytes >= limit.freeBytes else { throw StatusError(.diskFull, .diskNearlyFull) }
        let usage = try usage(of: user)
        guard usage.bytes < limit.bytes, usage.rows < limit.rows else {
            throw StatusError(.diskFull, .storeFull)
        }
    }

    /// The size of a user's store and its number of rows; zeros if the user has no store.
    private func usage(of user: uid_t) throws(StatusError) -> StoreUsage {
        do throws(StatusError) {
            return try stores.store(of: user).use { keychain throws(StatusError) in try keychain.usage() }
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return StoreUsage()
        }
    }

    private func dispatch(_ call: DaemonCall, for session: Session) throws(StatusError) -> DaemonReply {
        let store = stores.store(of: session.identity.user)
        switch call {
        case .perform(let request, let named):
            return .response(try response(to: request, named, for: session))
        case .performTogether(let changes, let named, let skipsDuplicates):
            return try apply(together: changes, named, skipsDuplicates, for: session)
        case .changePasscode(let old, let new):
            try store.use { keychain throws(StatusError) in
                try keychain.changePasscode(from: old.bytes, to: new.bytes)
            }
            return .response(.done)
        case .secret(let call, let secret): return try reply(to: call, secret, for: session)
        case .setLockSettings(let settings):
            try store.use { keychain throws(StatusError) in try keychain.set(settings) }
            return .response(.done)
        case .discard(let number):
            session.credentials.discard(number)
            return .response(.done)
        case .plain(let call): return try reply(to: call, for: session)
        case .migrate(let items, let verifies):
            return .skipped(try Migration(store, session).add(items, verifies: verifies))
        case .trustTeam, .removeTeam: return try UserTeamCalls(store: store).perform(call)
        case .adoption(let call):
            return .adoption(try AdoptionCalls(stores, session, identification).perform(call))
        case .prompt(let call):
            return try PromptCalls(prompts, store, identification).perform(call, for: session)
        }
    }

    private func reply(
        to call: DaemonCall.PlainCall,
        for session: Session
    ) throws(StatusError) -> DaemonReply {
        let store = stores.store(of: session.identity.user)
        switch call {
        case .lock: try store.use { keychain throws(StatusError) in try keychain.lock() }
        case .versions: return .versions(try versions(for: session))
        case .itemCount:
            let groups = session.identity.caller.accessGroups
            return .number(try store.itemCount(in: groups))
        case .verify: return .verification(try store.verification(for: session.identity.caller))
        case .keyRotation: return .rotation(try store.rotationStatus())
        case .repair, .previewRepair:
            return .repair(try store.repair(dryRun: call == .previewRepair, for: session.identity.caller))
        case .daemonStatus: return .daemon(status(for: session.identity))
        case .endMigration: try Migration(store, session).end()
        case .userTeams: return try UserTeamCalls(store: store).perform(.plain(call))
        }
        return .response(.done)
    }

    private func reply(
        to call: DaemonCall.SecretCall,
        _ secret: SentSecret,
        for session: Session
    ) throws(StatusError) -> DaemonReply {
        let store = stores.store(of: session.identity.user)
        switch call {
        case .setPasscode:
            try store.use(creating: true) { keychain throws(StatusError) in
                try keychain.setPasscode(secret.bytes)
            }
        case .removePasscode:
            let removed = try store.use { keychain throws(StatusError) in
                try keychain.removePasscode(secret.bytes)
            }
            return .number(UInt64(removed))
        case .countItemsNeedingPasscode:
            let count = try store.use { keychain throws(StatusError) in
                try keychain.countItemsNeedingPasscode(secret.bytes)
            }
            return .number(UInt64(count))
        case .authenticate:
            let key = try store.use { keychain throws(StatusError) in
                try keychain.authenticate(with: secret.bytes)
            }
            return .number(try session.credentials.keep(key))
        case .unlock:
            try store.use { keychain throws(StatusError) in try keychain.unlock(with: secret.bytes) }
        case .beginMigration: try Migration(store, session).begin(secret.bytes)
        case .beginKeyRotation: try store.beginKeyRotation(secret.bytes)
        case .keepApplicationPassword:
            let password = ApplicationPassword(SecretBytes(copying: secret.bytes))
            return .number(try session.credentials.keep(password))
        }
        return .response(.done)
    }

    /// Returns the status; the counters of the system service reveal other users' activity, so only root gets
    /// them.
    private func status(for caller: CallerIdentity) -> DaemonStatus {
        let isShown = !stores.isOfSystem || caller.user == 0
        var status = counters.status(withActivity: isShown)
        status.isSystemService = stores.isOfSystem
        status.hasAgent = identification.hasAgent
        let defects = identification.defects.prefix(DaemonStatus.largestDefects)
        status.defects = defects.map { isShown ? $0 : $0.withoutSecretReason }
        status.level = caller.level
        status.auditWorks = audit.works
        guard isShown else { return status }
        status.connections = UInt32(clamping: table.count)
        status.openStores = UInt32(clamping: stores.openCount)
        return status
    }

    private func versions(for session: Session) throws(StatusError) -> [ItemVersion] {
        let caller = session.identity.caller
        do throws(StatusError) {
            return try stores.store(of: session.identity.user).use { keychain throws(StatusError) in
                try keychain.versions(in: caller.reachesEveryGroup ? nil : caller.accessGroups)
            }
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return []
        }
    }
}
