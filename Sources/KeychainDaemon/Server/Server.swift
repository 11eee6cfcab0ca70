// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
package import KeychainModel
import KeychainStore
import Synchronization

/// A daemon that serves keychains over a Unix socket.
///
/// One thread at a time waits for events. It queues the ready connections for other threads and serves one itself, while
/// another thread waits for events. There is one thread more than may serve connections, so slow calls never keep the
/// server from accepting connections, from reading signals and from ending overdue connections. An idle connection
/// occupies no thread.
package final class Server: Sendable {
    private enum Task: Sendable {
        case lead
        case serve(Connection)
        case stop
    }

    private struct Turns {
        var ring = ReadyRing()
        var hasLeader = false
        var waiting = 0
        /// The number of threads that poll for the next message of a connection that they have served.
        var polling = 0
        var serving: [uid_t: Int] = [:]
        var isStopping = false

        mutating func endServing(_ user: uid_t) {
            let count = serving[user, default: 1] - 1
            serving[user] = count > 0 ? count : nil
        }

        /// Removes the next ready connection of a user whom fewer threads than the limit serve.
        ///
        /// Returns `nil` if as many threads serve connections as may do so at all.
        mutating func nextConnection(_ limit: Int, ofAll workers: Int) -> Connection? {
            guard serving.values.reduce(0, +) < workers else { return nil }
            let connection = ring.next { serving[$0, default: 0] < limit }
            if let connection { serving[connection.peer.user, default: 0] += 1 }
            return connection
        }

        /// Whether a thread waits for events or is about to, no connection waits for a thread, and the server is not
        /// stopping.
        ///
        /// Without a thread that waits for events, a thread that polls would keep the server from accepting
        /// connections and from reading signals.
        var mayPoll: Bool { (hasLeader || waiting > 0) && ring.isEmpty && !isStopping }

        /// Whether the server stops because it can no longer serve clients.
        var hasFailed = false
        var working = 0
    }

    /// The maximum number of threads that serve one user at the same time.
    private var workersOfUser: Int {
        switch configuration.service {
        case .user: configuration.workers
        case .system: configuration.workers / 2
        }
    }

    let configuration: ServerConfiguration
    let table: ConnectionTable
    let counters = Counters()
    let handler: CallHandler
    let identification: Identification
    /// The users who are not served, with the minute in which the audit log recorded them last.
    private let unservedUsers = Mutex<[uid_t: UInt64]>([:])
    let audit: AuditLog
    let report: @Sendable (ServerEvent) -> Void
    /// Random bytes that change when the daemon is restarted, so that clients detect it.
    let instance = Bytes16.random()
    let epoll: Descriptor
    private let listener: Descriptor
    private let signals: Descriptor
    /// Wakes the thread that waits for events, so that it takes a new deadline into account.
    let alarm = Alarm()
    /// An eventfd that is readable once the server is stopping.
    private let stopEvent = Descriptor(eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)))
    /// The maximum number of threads that poll.
    ///
    /// It is at most a quarter of the worker threads, and at most half of the number of processors: the other half
    /// remains for the clients.
    private let pollingLimit: Int
    private let turns = Monitor(Turns())

    /// Creates a server for a listening socket; `signals` is a descriptor of `clinux_signals`.
    ///
    /// - Throws: `notAvailable` with `systemCall` if epoll cannot watch one of the descriptors.
    package init(
        _ configuration: ServerConfiguration,
        listener: CInt,
        signals: CInt,
        audit: AuditLog,
        _ report: @escaping @Sendable (ServerEvent) -> Void = { _ in }
    ) throws(StatusError) {
        self.configuration = configuration
        pollingLimit = min(configuration.workers / 4, Int(clinux_processors()) / 2)
        self.report = report
        self.audit = audit
        table = ConnectionTable(limits: configuration.limits)
        let stores = StoreTable(configuration.service)
        identification = Identification(configuration.service) { stores.teams(of: $0) }
        handler = CallHandler(stores, counters, table, audit, configuration, identification, alarm)
        self.listener = Descriptor(listener)
        self.signals = Descriptor(signals)
        epoll = Descriptor(epoll_create1(CInt(EPOLL_CLOEXEC)))
        for descriptor in [listener, signals, stopEvent.number, alarm.number] where descriptor >= 0 {
            guard clinux_epoll_change(epoll.number, EPOLL_CTL_ADD, descriptor, Self.readable) == 0 else {
                throw StatusError(.notAvailable, .systemCall, code: errno)
            }
        }
    }

    private static let readable = EPOLLIN.rawValue
    private static let oneShot = EPOLLONESHOT.rawValue
    /// The maximum time for replies after a request to stop, in milliseconds.
    private static let stopMilliseconds: UInt64 = 5_000

    /// Serves clients until a signal or ``stop()`` ends the server.
    package func run() {
        audit.append(AuditEvent(.start, user: geteuid(), process: getpid()))
        for defect in identification.defects { report(.defect(defect)) }
        for _ in 0..<configuration.workers { DaemonThread.start { self.work() } }
        DaemonThread.start { self.handler.stores.resumeKeyRotations() }
        work()
        let deadline = SystemClock.milliseconds + Self.stopMilliseconds
        while turns.withLock({ $0.working > 0 }), SystemClock.milliseconds < deadline { usleep(1_000) }
        handler.stores.stopKeyRotations(until: deadline)
        handler.stores.closeAll()
        audit.append(AuditEvent(.stop, user: geteuid(), process: getpid()))
        audit.finish()
    }

    /// Ends the server: running calls are completed, and clients are told to reconnect.
    package func stop(isIdle: Bool = false) {
        report(.stopping(isIdle: isIdle))
        turns.withLock { $0.isStopping = true }
        ServiceManager.notify("STOPPING=1")
        turns.wakeAll()
        _ = eventfd_write(stopEvent.number, 1)
        for connection in table.all { sayGoodbye(to: connection) }
    }

    /// Ends the server because `keychain-identify` has ended; the service manager starts both again.
    func fail() {
        turns.withLock { $0.hasFailed = true }
        stop()
    }

    package var hasFailed: Bool { turns.withLock { $0.hasFailed } }

    private func work() {
        turns.withLock { $0.working += 1 }
        defer { turns.withLock { $0.working -= 1 } }
        var served: uid_t?
        while true {
            let task = next(after: served)
            served = nil
            switch task {
            case .stop: return
            case .lead: lead()
            case .serve(let connection):
                serve(connection)
                served = connection.peer.user
            }
        }
    }

    private func next(after served: uid_t?) -> Task {
        var (isWaiting, served, limit, workers) = (false, served, workersOfUser, configuration.workers)
        return turns.wait { turns in
            if isWaiting { turns.waiting -= 1 }
            isWaiting = false
            if let user = served { turns.endServing(user) }
            served = nil
            if turns.isStopping { return .stop }
            if let connection = turns.nextConnection(limit, ofAll: workers) { return .serve(connection) }
            if !turns.hasLeader {
                turns.hasLeader = true
                return .lead
            }
            turns.waiting += 1
            isWaiting = true
            return nil
        }
    }

    /// Waits for events once, and queues the ready connections.
    private func lead() {
        var numbers = [Int32](repeating: 0, count: 64)
        let timeout = waitMilliseconds()
        let count = unsafe clinux_epoll_wait(epoll.number, &numbers, 64, timeout)
        var ready: [Connection] = []
        for number in numbers.prefix(max(Int(count), 0)) {
            if number == listener.number {
                accept()
            } else if number == signals.number {
                handleSignals()
            } else if number == alarm.number {
                alarm.reset()
            } else if let connection = table[number] {
                ready.append(connection)
            }
        }
        let woken = turns.withLock { turns in
            for connection in ready { turns.ring.add(connection) }
            turns.hasLeader = false
            // This thread serves one of the ready connections. Wake a thread for each of the others, and one more to
            // wait for events.
            return min(turns.waiting, ready.count)
        }
        turns.wake(woken)
    }

    /// Returns the milliseconds until the next deadline; -1 without a deadline.
    ///
    /// Ends overdue connections and passcode prompts, closes idle stores, and stops a server that was idle too long.
    private func waitMilliseconds() -> CInt {
        let next = table.endOverdue()
        handler.stores.closeIdle()
        let housekeeping: CInt = handler.stores.isEmpty ? -1 : 60_000
        var timeouts = [next, handler.prompts.endOverdue(), housekeeping].filter { $0 >= 0 }
        if let idleExit = configuration.idleExit {
            let (idle, limit) = (table.idleMilliseconds, UInt64(idleExit) * 1_000)
            if idle >= limit {
                stop(isIdle: true)
                return 0
            }
            // Set this timeout even with open connections, because the last one may end while this thread
            // waits.
            timeouts.append(CInt(clamping: limit - idle))
        }
        return timeouts.min() ?? -1
    }

    private func handleSignals() {
        while true {
            switch clinux_next_signal(signals.number) {
            case 0: return
            case SIGHUP: reload()
            default: stop()
            }
        }
    }

    /// Reads the administrator's lists of teams and programs, and the executable of `keychain-agent`, again.
    ///
    /// Clients are told to connect again, so that they are identified again.
    private func reload() {
        identification.reload()
        audit.append(AuditEvent(.reload, user: geteuid(), process: getpid()))
        handler.stores.closeAll()
        for connection in table.all { sayGoodbye(to: connection) }
        report(.reloaded(teams: identification.teamCount))
        for defect in identification.defects { report(.defect(defect)) }
    }

    /// Unlocks a user's store with a passcode that the service manager has supplied.
    ///
    /// - Throws: For example, `noSuchKeychain` with `storeMissing`, or the errors of a wrong passcode.
    package func unlock(with passcode: borrowing SecretBytes, for user: UInt32) throws(StatusError) {
        let given = SecretBytes(copying: passcode)
        var event = AuditEvent(.call(.unlock), user: user, process: getpid())
        defer { audit.append(event) }
        do throws(StatusError) {
            try handler.stores.store(of: user).use { keychain throws(StatusError) in
                try keychain.unlock(with: given)
            }
        } catch {
            event.result = error.status.rawValue
            throw error
        }
    }

    /// Makes epoll report once when a connection is readable or, if bytes are unsent, writable.
    func rearm(_ connection: Connection, writing: Bool, isNew: Bool = false) {
        let events = (writing ? EPOLLOUT.rawValue : Self.readable) | Self.oneShot
        let operation = isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        _ = clinux_epoll_change(epoll.number, operation, connection.socket.number, events)
    }

    var isStopping: Bool { turns.withLock { $0.isStopping } }

    /// Whether a thread that polls may continue.
    var mayPoll: Bool { turns.withLock { $0.mayPoll } }

    /// Returns whether a thread may poll; if so, it must call ``endPolling()`` afterwards.
    func beginPolling() -> Bool {
        turns.withLock { turns in
            guard turns.mayPoll, turns.polling < pollingLimit else { return false }
            turns.polling += 1
            return true
        }
    }

    func endPolling() { turns.withLock { $0.polling -= 1 } }

    private func accept() {
        for _ in 0..<64 {
            let socket = clinux_accept(listener.number)
            if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard socket >= 0 else {
                // Without a free descriptor, the listening socket stays readable: pause instead of spinning.
                if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                return
            }
            let owned = Descriptor(socket)
            guard let peer = Peer(of: socket) else {
                counters.refuse()
                continue
            }
            guard configuration.limits.users.contains(peer.user), identification.mayConnect(peer) else {
                counters.refuse()
                recordUnserved(peer)
                continue
            }
            let nonce = Bytes16.random()
            let connection = Connection(owned, peer: peer, nonce: nonce)
            guard table.add(connection) else {
                counters.refuse()
                continue
            }
            var hello = WireWriter()
            hello.value(ServerHello(nonce: nonce))
            let message = Message(.serverHello, body: hello.bytes)
            let isSent = connection.state.withLock { connection.send(message, &$0) }
            guard isSent else {
                table.remove(connection, wasWelcomed: false, heldBytes: 0)
                continue
            }
            rearm(connection, writing: false, isNew: true)
        }
    }
}

extension Server {
    /// Records a process whose user is not served, at most once a minute for each user.
    ///
    /// More records would let that user push the records of others out of the audit log.
    private func recordUnserved(_ peer: Peer) {
        let minute = SystemClock.milliseconds / 60_000
        let isFirst = unservedUsers.withLock { users in
            users = users.filter { $0.value == minute }
            guard users[peer.user] == nil, users.count < 1_024 else { return false }
            users[peer.user] = minute
            return true
        }
        guard isFirst else { return }
        SessionAudit.refuse(peer, StatusError(.missingEntitlement, .callerRefused), in: audit)
    }
}

/// An event that the daemon logs; it contains no secret and no value of an attribute.
package enum ServerEvent: Sendable {
    /// The administrator's lists of teams and programs were read again.
    case reloaded(teams: Int)
    case defect(TrustDefect)
    case stopping(isIdle: Bool)
    case refused(user: UInt32, process: Int32, status: Int32)
}
