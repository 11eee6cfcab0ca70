// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import CKeychainExecutor
package import Dispatch
import NIOCore
import NIOPosix

/// The threads of the agent, which let an idle process sleep.
///
/// The first work on a global queue of libdispatch starts a timer that wakes the process each second to count the
/// threads of these queues. The threads of serial queues are not counted, but end some seconds after their last work.
/// The agent therefore uses only a serial queue and the event loops of SwiftNIO.
package enum AgentThreads {
    /// The serial queue of the agent's Dispatch event sources.
    package static let queue = DispatchQueue(label: "keychain-sync")

    /// Runs the process's tasks on the threads of SwiftNIO instead of global queues.
    ///
    /// Call this once, before the first task. SwiftNIO's own function for this finds the runtime's hook only in a
    /// dynamic library, but the packaged agent links the runtime statically.
    package static func runTasksOnEventLoops() {
        // SwiftNIO, too, uses the hook only with these compilers: later runtimes may not have it.
        #if compiler(<6.4)
        unsafe cexecutor_install { job in
            let job = unsafe unsafeBitCast(job, to: UnownedJob.self)
            // `any()` returns the event loop of the current thread, if that thread has one.
            MultiThreadedEventLoopGroup.singleton.any().executor.enqueue(ExecutorJob(job))
        }
        #endif
    }

    /// Calls a closure at regular intervals until the returned task is cancelled.
    static func repeatTask(
        every milliseconds: UInt64,
        _ body: @escaping @Sendable () -> Void
    ) -> RepeatedTask {
        let interval = TimeAmount.milliseconds(Int64(milliseconds))
        return MultiThreadedEventLoopGroup.singleton.any()
            .scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in body() }
    }

    /// Calls a closure after a time, unless the returned task is cancelled before.
    @discardableResult
    static func runTask(
        after milliseconds: UInt64,
        _ body: @escaping @Sendable () -> Void
    ) -> Scheduled<Void> {
        MultiThreadedEventLoopGroup.singleton.any()
            .scheduleTask(in: .milliseconds(Int64(milliseconds)), body)
    }
}
#endif
