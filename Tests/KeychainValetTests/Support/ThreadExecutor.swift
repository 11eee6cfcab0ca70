// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs every task on a thread of its own, however few processors there are; what is local to the task stays so.
final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
