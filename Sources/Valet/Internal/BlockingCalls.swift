// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs calls that may block for minutes, while the user is asked, each on a thread of its own.
///
/// No pool serves for this: on a small machine a few open prompts would take all of its threads, and Swift's tasks with
/// them. The task stays the same, with its priority and its task-local values: only the thread is another one.
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
