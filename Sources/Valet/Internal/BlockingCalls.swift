// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs blocking calls, each on a separate thread.
///
/// A call may block for minutes while a prompt is shown. A thread pool is unsuitable: on a small machine a
/// few prompts would occupy all threads of the pool and stall Swift tasks. Each call runs in the caller's
/// task, with that task's priority and task-local values.
final class BlockingCalls: TaskExecutor {
    private static let shared = BlockingCalls()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    static func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(shared) { () async throws(Failure) in try body() }
    }
}
