// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import Dispatch
import Glibc
import KeychainModel
import KeychainStore
import KeychainSync

extension SyncCommand {
    func runAgent() async throws(Failure) {
        do throws(SyncError) {
            let keychain = try keychain()
            try AgentLock.acquire(in: keychain.location.directory)
            let client = try client(SyncStore(keychain).configuration())
            let isOnce = options.has("once")
            let runner = SyncRunner(keychain, over: client) { if !isOnce { Output.complain($0.fields) } }
            do throws(SyncError) {
                if isOnce {
                    try await runner.runOnce()
                    if options.has("json") { report("") }
                } else {
                    await run(runner)
                    Output.complain(runner.metrics.counts.fields)
                }
            } catch {
                await client.shutdown()
                throw error
            }
            await client.shutdown()
        } catch {
            throw Failure(error)
        }
    }

    private func run(_ runner: SyncRunner) async {
        let sources = [SIGTERM, SIGINT, SIGUSR1].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: AgentThreads.queue)
            source.setEventHandler {
                if number == SIGUSR1 {
                    Output.complain(runner.metrics.counts.fields)
                } else {
                    runner.stop()
                }
            }
            source.resume()
            return source
        }
        await runner.run()
        withExtendedLifetime(sources) {}
    }
}

/// The lock that lets only one agent synchronize a store; released when the process ends.
private enum AgentLock {
    /// - Throws: `agentIsRunning` if another process has the lock; `store` if the file cannot be opened or locked.
    static func acquire(in directory: String) throws(SyncError) {
        let file = unsafe open(directory + "/sync.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .store(StatusError(.inputOutput, .systemCall, code: errno)) }
        guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return }
        let code = errno
        close(file)
        throw code == EWOULDBLOCK
            ? .agentIsRunning : .store(StatusError(.inputOutput, .systemCall, code: code))
    }
}
#endif
