// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
#else
import KeychainClient
#endif

/// Runs blocking calls, each on a separate thread.
///
/// A call may block for minutes while a prompt is shown. A thread pool is unsuitable: on a small machine a
/// few prompts would occupy all threads of the pool and stall Swift tasks. Each call runs in the caller's
/// task, with that task's priority and task-local values.
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

    static func run<Result: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(shared) { () async throws(Failure) in try body() }
    }
}

extension Vault {
    /// Runs a call off the caller's actor.
    ///
    /// Cancelling the task cancels the call's prompt, unless the vault has a session.
    ///
    /// - Throws: The error of the closure; ``VaultError/Reason-swift.enum/cancelled`` if the task is already
    ///   cancelled.
    func offActor<Result: Sendable>(
        _ operation: VaultError.Operation,
        _ body: @Sendable (Vault) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let result = await cancellable(operation) { vault in
            Swift.Result { () throws(VaultError) in try body(vault) }
        }
        return try result.flatMap { $0 }.get()
    }

    /// Runs a call off the caller's actor; the closure may throw any error.
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
        // Cancelling invalidates only a session created here: the vault's own session outlives the task.
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
