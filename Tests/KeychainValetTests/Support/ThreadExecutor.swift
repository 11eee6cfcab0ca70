// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An executor that runs every task on its own thread, with the task's task-local values.
final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
