// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension TemporaryKeychain {
    /// Runs tasks on threads of their own, where a call that waits keeps no other task from running.
    ///
    /// The keychain of the test goes with the task: `Task(executorPreference: TemporaryKeychain.threads) { … }`. A call
    /// that is held in any other task takes a thread of the pool, of which there are as many as processors.
    public static let threads: any TaskExecutor = ThreadPerTask()

    /// Has the next call wait on its way to the keychain, so that a test can look at what happens meanwhile.
    ///
    /// The call waits before anything is locked: other calls go on, and it meets what they have changed when it is let go,
    /// and faults that were planned meanwhile. Several calls are held one after the other, each by a handle of its own; a
    /// call that is held by none goes on. Of changes that a wrapper makes together the first waits in the same way, and any
    /// other one inside the transaction: then other calls wait for it too.
    ///
    /// - Parameter calls: Which calls these are; by default any.
    /// - Returns: A handle by which the test waits for the call and lets it go; without a handle nothing is held.
    public func holdNext(in calls: Set<Call> = Set(Call.allCases)) -> HeldCall {
        HeldCall(gate: faults.hold(calls))
    }

    /// A call that waits until the test lets it go.
    ///
    /// It goes on, too, when nobody has the handle any more, and when the test's keychain ends.
    public final class HeldCall: Sendable {
        private let gate: Gate

        fileprivate init(gate: Gate) { self.gate = gate }

        deinit { gate.open() }

        /// Whether the call has come.
        public var hasArrived: Bool { gate.hasArrived }

        /// Returns once the call has come; at once where it has been let go, or where the waiting task is cancelled.
        public func arrival() async { await gate.arrival() }

        /// Lets the call go, now or when it comes.
        public func release() { gate.open() }
    }
}

private final class ThreadPerTask: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Where one call waits.
final class Gate: Sendable {
    private struct State {
        var hasArrived = false
        var isOpen = false
    }

    private let state = Mutex(State())
    private let opening = DispatchSemaphore(value: 0)
    /// Ends when the call comes, or will not be held.
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

    /// Waits until the gate is open; for one call.
    func pass() {
        let isOpen = state.withLock { state in
            state.hasArrived = true
            return state.isOpen
        }
        arriving.finish()
        if !isOpen { opening.wait() }
    }
}

/// The gates of a test that no call has come to.
final class GateQueue: Sendable {
    private struct State {
        var gates: [(gate: Gate, calls: Set<TemporaryKeychain.Call>)] = []
        /// Those where a call may be waiting.
        var taken: [Gate] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    func append(_ calls: Set<TemporaryKeychain.Call>) -> Gate {
        let gate = Gate()
        state.withLock { $0.gates.append((gate, calls)) }
        return gate
    }

    /// The gate of a call, which is the call's alone.
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
