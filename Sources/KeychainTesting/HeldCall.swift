// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension TemporaryKeychain {
    /// Runs each task on a thread of its own, so that held calls block no other task.
    ///
    /// The test's keychain applies to such tasks: `Task(executorPreference: TemporaryKeychain.threads) { …
    /// }`. A call that is held in any other task blocks a thread of the cooperative pool, which has one per
    /// processor.
    public static let threads: any TaskExecutor = ThreadPerTask()

    /// Holds the next call before it reaches the keychain, so that a test can observe the state meanwhile.
    ///
    /// The call waits before it acquires any lock. Other calls proceed, and after its release the held call
    /// sees their changes and any faults planned meanwhile. Several calls are held in order, each with a
    /// handle of its own. If a wrapper makes several changes in one transaction, holding the first has the same
    /// effect, but holding a later one keeps the transaction open, which blocks other calls.
    ///
    /// - Parameter calls: The kinds of call to hold; by default all.
    /// - Returns: A handle for waiting for the call and releasing it. Keep it: without a handle no call is
    ///   held.
    public func holdNext(in calls: Set<Call> = Set(Call.allCases)) -> HeldCall {
        HeldCall(gate: faults.hold(calls))
    }

    /// A call that waits until the test releases it.
    ///
    /// It is also released when the handle is deallocated and when the test's keychain ends.
    public final class HeldCall: Sendable {
        private let gate: Gate

        fileprivate init(gate: Gate) { self.gate = gate }

        deinit { gate.open() }

        /// Whether the call has arrived.
        public var hasArrived: Bool { gate.hasArrived }

        /// Waits for the call to arrive.
        ///
        /// Returns immediately if the call was released or the waiting task is cancelled.
        public func arrival() async { await gate.arrival() }

        /// Releases the call, now or when it arrives.
        public func release() { gate.open() }
    }
}

private final class ThreadPerTask: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Holds one call until it is opened.
final class Gate: Sendable {
    private struct State {
        var hasArrived = false
        var isOpen = false
    }

    private let state = Mutex(State())
    private let opening = DispatchSemaphore(value: 0)
    /// Ends when the call arrives or will not be held.
    private let (arrivals, arriving) = AsyncStream.makeStream(of: Void.self)

    var hasArrived: Bool { state.withLock { $0.hasArrived } }

    func arrival() async { for await _ in arrivals {} }

    func open() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = true }
            return state.isOpen
        }
        guard !wasOpen else { return }
        arriving.finish()
        opening.signal()
    }

    /// Waits until the gate is open.
    ///
    /// Used by one call only.
    func pass() {
        let isOpen = state.withLock { state in
            state.hasArrived = true
            return state.isOpen
        }
        arriving.finish()
        if !isOpen { opening.wait() }
    }
}

/// The gates that no call has reached yet.
final class GateQueue: Sendable {
    private struct State {
        var gates: [(gate: Gate, calls: Set<TemporaryKeychain.Call>)] = []
        /// Gates at which a call may be waiting.
        var taken: [Gate] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    func append(_ calls: Set<TemporaryKeychain.Call>) -> Gate {
        let gate = Gate()
        state.withLock { $0.gates.append((gate, calls)) }
        return gate
    }

    /// Removes the first gate for this kind of call.
    func take(for call: TemporaryKeychain.Call) -> Gate? {
        state.withLock { state in
            guard !state.hasEnded, let index = state.gates.firstIndex(where: { $0.calls.contains(call) })
            else { return nil }
            let gate = state.gates.remove(at: index).gate
            state.taken.append(gate)
            return gate
        }
    }

    func end() {
        let gates = state.withLock { state in
            state.hasEnded = true
            return state.taken + state.gates.map(\.gate)
        }
        for gate in gates { gate.open() }
    }
}
