// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs every task on a thread of its own, keeping task-local values.
final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
