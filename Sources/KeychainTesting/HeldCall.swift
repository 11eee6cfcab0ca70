// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension TemporaryKeychain {
    /// An executor that runs each task on a new thread, so that a held call blocks no other task.
    ///
    /// Use it as in `Task(executorPreference: TemporaryKeychain.threads) { … }`; the test's keychain also
    /// applies to such a task. A call held in a task without this executor blocks a thread of the cooperative
    /// pool, which has one per processor.
    public static let threads: any TaskExecutor = ThreadPerTask()

    /// Holds the next call before it reaches the keychain, until the test releases it.
    ///
    /// The held call waits before it acquires any lock. Other calls proceed meanwhile, and after its release
    /// the held call sees their changes and any faults planned meanwhile. To hold several calls, call this
    /// function once for each: the first call to arrive gets the first handle. If a library makes several
    /// changes in one transaction, holding the first blocks no other call, but holding a later one keeps the
    /// transaction open, which blocks other calls.
    ///
    /// - Parameter calls: The functions whose calls to hold; by default all.
    /// - Returns: A handle for waiting for the call and releasing it. Keep it: without a handle no call is
    ///   held.
    public func holdNext(in calls: Set<Call> = Set(Call.allCases)) -> HeldCall {
        HeldCall(gate: faults.hold(calls))
    }

    /// The handle of a call that waits until the test releases it.
    ///
    /// The call is also released when this object is deallocated and when the test's keychain is removed.
    public final class HeldCall: Sendable {
        private let gate: Gate

        fileprivate init(gate: Gate) { self.gate = gate }

        deinit { gate.open() }

        /// Whether the program has made the call, which now waits or was released.
        public var hasArrived: Bool { gate.hasArrived }

        /// Waits until the program makes the call.
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

/// Blocks one call until `open()` is called.
final class Gate: Sendable {
    private struct State {
        var hasArrived = false
        var isOpen = false
    }

    private let state = Mutex(State())
    private let opening = DispatchSemaphore(value: 0)
    /// A stream without elements that ends when the call arrives or the gate is opened.
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

    /// Blocks the calling thread until the gate is open.
    ///
    /// Only one call passes a gate.
    func pass() {
        let isOpen = state.withLock { state in
            state.hasArrived = true
            return state.isOpen
        }
        arriving.finish()
        if !isOpen { opening.wait() }
    }
}

/// The gates of all calls to hold, in the order in which the test requested them.
final class GateQueue: Sendable {
    private struct State {
        /// The gates that no call has reached yet.
        var gates: [(gate: Gate, calls: Set<TemporaryKeychain.Call>)] = []
        /// The gates that a call has reached; the call may still be waiting.
        var taken: [Gate] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    func append(_ calls: Set<TemporaryKeychain.Call>) -> Gate {
        let gate = Gate()
        state.withLock { $0.gates.append((gate, calls)) }
        return gate
    }

    /// Removes and returns the first gate for this function; `nil` if no call is to be held.
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
