// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import KeychainModel
package import KeychainStore
import NIOCore
import Synchronization

/// Runs a ``SyncAgent`` until it is stopped: on local changes, on events of etcd, and after failures.
package actor SyncRunner {
    private enum Signal: Sendable {
        /// The files of the store have changed.
        case local
        /// The watch of etcd with this number has received changes.
        case events(Int, EtcdEvents)
        /// The watch of etcd with this number has ended.
        case ended(Int, EtcdError?)
        /// It is time for the agent's periodic work.
        case tick
        /// The newest revision of the circle, requested by the connection with this number.
        case newest(Int, UInt64)
        /// The watch of etcd with this number should have reported this revision by now.
        case overdue(Int, UInt64)
        /// The pause with this number, before the next attempt to connect, is over.
        case retry(Int)
    }

    private let agent: SyncAgent
    private let client: EtcdClient
    private let keychain: EmbeddedKeychain
    private let log: @Sendable (SyncEvent) -> Void
    package nonisolated let metrics = SyncMetrics()
    private let signals: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation
    private var backOff = BackOff()
    /// The number of the current connection, attempt or pause; signals of earlier ones are ignored.
    private var number = 0
    private var isConnected = false
    private var connectionStart = ContinuousClock.now
    /// After a connection of at least this duration, the pauses after failures start with the shortest again.
    private static let stableDuration = Duration.seconds(10)
    /// Whether a signal of a local change waits to be handled.
    private let hasLocalSignal = Mutex(false)
    /// Whether to connect again when the store changes, because an unlock or resume may end the failure.
    private var waitsForStore = false
    private var watch: Task<Void, Never>?
    /// The request for the revision of the circle's newest change, until etcd answers it.
    private var probe: Task<Void, Never>?
    private var probeStart = ContinuousClock.now
    private let intervals: SyncIntervals

    package init(
        _ keychain: EmbeddedKeychain,
        over client: EtcdClient,
        intervals: SyncIntervals = SyncIntervals(),
        log: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) {
        self.keychain = keychain
        self.intervals = intervals
        self.client = client
        let metrics = metrics
        let log: @Sendable (SyncEvent) -> Void = { event in
            metrics.record(event)
            log(event)
        }
        self.log = log
        agent = SyncAgent(keychain, over: client, log: log)
        (signals, continuation) = AsyncStream.makeStream()
    }

    package nonisolated func stop() { continuation.finish() }

    package func run() async {
        let continuation = continuation
        let watch = DirectoryWatch(keychain.location.directory) { [weak self] in self?.noteLocalChange() }
        let ticker = AgentThreads.repeatTask(every: .random(in: intervals.tick)) { continuation.yield(.tick) }
        await connect()
        for await signal in signals { await handle(signal) }
        ticker.cancel()
        disconnect()
        metrics.save(in: keychain)
        withExtendedLifetime(watch) {}
    }

    /// Synchronizes once, unless the user has paused synchronization, and saves the result for the status.
    package func runOnce() async throws(SyncError) {
        do throws(SyncError) {
            try checkNotPaused()
            try await agent.synchronize()
        } catch {
            report(error)
            throw error
        }
        SyncReport.save(nil, in: keychain)
    }

    private func checkNotPaused() throws(SyncError) {
        guard try !SyncReport.isPaused(keychain) else { throw .paused }
    }

    /// Sends a signal that the store has changed, unless an earlier one still waits to be handled.
    private nonisolated func noteLocalChange() {
        let isFirst = hasLocalSignal.withLock { hasSignal in
            defer { hasSignal = true }
            return !hasSignal
        }
        if isFirst { continuation.yield(.local) }
    }

    private func handle(_ signal: Signal) async {
        switch signal {
        case .local:
            hasLocalSignal.withLock { $0 = false }
            if isConnected {
                await attempt { () async throws(SyncError) in
                    try self.checkNotPaused()
                    try await self.agent.takeLocalChanges()
                }
            } else if waitsForStore {
                await connect()
            }
        case .events(let number, let events):
            guard number == self.number, isConnected else { return }
            await attempt { () async throws(SyncError) in
                try await self.agent.receive(events)
                try await self.agent.takeLocalChanges()
            }
        case .ended(let number, let error):
            guard number == self.number else { return }
            // etcd compacts its history at intervals, so this is no problem to report.
            if case .compacted? = error { return connectAgain(after: .etcd(.compacted(0))) }
            fail(.etcd(error ?? .unreachable))
        case .tick: await tick()
        case .newest(let number, let revision):
            guard number == self.number else { return }
            await attempt { () async throws(SyncError) in try await self.takeNewest(revision) }
        case .overdue(let number, let revision):
            guard number == self.number else { return }
            await attempt { () async throws(SyncError) in
                guard try await self.agent.revision() < revision else { return }
                // This etcd member may be cut off from the other members, so use the next one.
                await self.client.skipMember()
                throw .etcd(.unreachable)
            }
        case .retry(let number):
            guard number == self.number else { return }
            await connect()
        }
    }

    /// Checks, after a pause in which the change may still arrive, that the watch of etcd has reported a revision.
    private func takeNewest(_ revision: UInt64) async throws(SyncError) {
        probe = nil
        guard try await agent.revision() < revision else { return }
        let (continuation, number) = (continuation, number)
        AgentThreads.runTask(after: intervals.grace) { continuation.yield(.overdue(number, revision)) }
    }

    private func attempt(_ body: () async throws(SyncError) -> Void) async {
        do throws(SyncError) {
            try await body()
        } catch {
            fail(error)
        }
    }

    private func connect() async {
        disconnect()
        await attempt { () async throws(SyncError) in
            try self.checkNotPaused()
            await self.agent.reload()
            try await self.agent.synchronize()
            try await self.startWatch()
            self.succeed()
        }
    }

    private func succeed() {
        isConnected = true
        connectionStart = .now
        log(SyncEvent(.connected))
        SyncReport.save(nil, in: keychain)
    }

    private func startWatch() async throws(SyncError) {
        let start = try await agent.watchStart()
        let (client, continuation, number) = (client, continuation, number)
        watch = Task {
            do throws(EtcdError) {
                try await client.watch(prefix: start.prefix, from: start.revision) { events in
                    continuation.yield(.events(number, events))
                    return !Task.isCancelled
                }
                continuation.yield(.ended(number, nil))
            } catch {
                continuation.yield(.ended(number, error))
            }
        }
    }

    private func disconnect() {
        isConnected = false
        waitsForStore = false
        number += 1
        watch?.cancel()
        probe?.cancel()
        (watch, probe) = (nil, nil)
    }

    private func fail(_ error: SyncError) {
        connectAgain(after: error)
        report(error)
        waitsForStore = [.paused, .locked, .notConfigured].contains(error)
    }

    /// Disconnects, and connects again after a pause, which is longer after each failure in a row.
    private func connectAgain(after error: SyncError) {
        if isConnected, ContinuousClock.now - connectionStart > Self.stableDuration { backOff.reset() }
        disconnect()
        let pause = backOff.next(after: error)
        let (continuation, number) = (continuation, number)
        AgentThreads.runTask(after: pause) { continuation.yield(.retry(number)) }
    }

    /// Logs a failure, and saves it for the status.
    private func report(_ error: SyncError) {
        log(
            SyncEvent(error == .paused ? .paused : error == .locked ? .locked : .problem, problem: error.code)
        )
        SyncReport.save(error, in: keychain)
    }

    /// Asks etcd for the revision of the circle's newest change, to check that the watch has missed nothing.
    ///
    /// Whether etcd has answered in time is checked at the next periodic work, so that an idle agent needs no other
    /// timer.
    private func startProbe() throws(SyncError) {
        guard probe == nil else {
            let limit = Duration.milliseconds(intervals.answer)
            guard ContinuousClock.now - probeStart < limit else { throw .etcd(.unreachable) }
            return
        }
        probeStart = .now
        let (agent, continuation, number) = (agent, continuation, number)
        probe = Task {
            do throws(SyncError) {
                continuation.yield(.newest(number, try await agent.newestRevision()))
            } catch {
                if case .etcd(let error) = error {
                    continuation.yield(.ended(number, error))
                } else {
                    // The periodic work, which also uses the store, reports this error of the store.
                    continuation.yield(.newest(number, 0))
                }
            }
        }
    }

    /// Does the periodic work.
    ///
    /// It saves the counts of events. While connected, it also checks that the watch of etcd has missed nothing, looks
    /// for changed rows, writes a new ``Head`` if the last one is older than a day, and deletes obsolete data.
    private func tick() async {
        metrics.save(in: keychain)
        guard isConnected else { return }
        await attempt { () async throws(SyncError) in
            try self.checkNotPaused()
            try self.startProbe()
            // Without inotify, local changes and unlocks are noticed only here.
            await self.agent.rescan()
            try await self.agent.takeLocalChanges()
            try await self.agent.renewHead()
            try await self.agent.collect()
        }
    }
}
#endif
