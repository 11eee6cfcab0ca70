// SPDX-License-Identifier: Apache-2.0

#if Trust
import Dispatch
import Synchronization

/// Runs an asynchronous function on the calling thread.
///
/// If synchronous functions instead waited for a thread of the cooperative pool, all threads of the pool could
/// wait and deadlock.
final class CallingThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let pending = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        pending.signal()
    }

    static func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let executor = CallingThreadExecutor()
        let result = Box<Value>()
        Task.detached(executorPreference: executor) { result.set(await body()) }
        while true {
            executor.runNext()
            if let value = result.value { return value }
        }
    }

    private func runNext() {
        pending.wait()
        let job = jobs.withLock { $0.removeFirst() }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

private final class Box<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)

    var value: Value? { content.withLock { $0 } }

    func set(_ value: Value) { content.withLock { $0 = value } }
}
#endif
