// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
#else
import KeychainClient
#endif

/// Runs calls that may block for minutes, while the user is asked, each on a thread of its own.
///
/// No pool serves for this: on a small machine a few open prompts would take all of its threads, and Swift's tasks with
/// them. The task stays the same, with its priority and its task-local values: only the thread is another one.
final class BlockingCalls: TaskExecutor {
    private static let shared = BlockingCalls()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Self.detach { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private static func detach(_ body: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
        Thread.detachNewThread(body)
        #else
        SystemKeychain.detach(body)
        #endif
    }

    /// Runs the closure off the actor of the caller.
    static func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(shared) { () async throws(Failure) in try body() }
    }
}

extension Vault {
    /// Runs a call off the actor of the caller; a prompt that it shows ends with the task.
    ///
    /// - Throws: What the closure throws; ``VaultError/Reason-swift.enum/cancelled`` in a task that was cancelled before.
    func offActor<Result: Sendable>(
        _ operation: VaultError.Operation,
        _ body: @Sendable (Vault) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let result = await cancellable(operation) { vault in
            Swift.Result { () throws(VaultError) in try body(vault) }
        }
        return try result.flatMap { $0 }.get()
    }

    /// The same for a closure that throws errors of its own.
    func offActor<Result: Sendable>(
        _ operation: VaultError.Operation,
        throwing body: @Sendable (Vault) throws -> Result
    ) async throws -> Result {
        let result = await cancellable(operation) { vault in
            Swift.Result { try body(vault) }
        }
        return try result.get().get()
    }

    private func cancellable<Value: Sendable>(
        _ operation: VaultError.Operation,
        _ body: @Sendable (Vault) -> Value
    ) async -> Result<Value, VaultError> {
        guard !Task.isCancelled else { return .failure(VaultError(.cancelled, operation)) }
        var vault = self
        // A session of the caller outlives the task, and is ended by the caller.
        let ownSession = session == nil ? AuthenticationSession() : nil
        if let ownSession { vault.session = ownSession }
        let prepared = vault
        return await withTaskCancellationHandler {
            .success(await BlockingCalls.run { body(prepared) })
        } onCancel: {
            ownSession?.invalidate()
        }
    }
}
