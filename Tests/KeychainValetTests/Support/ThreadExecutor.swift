// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An executor that runs every job on a new thread, with the task-local values of its task.
final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
