// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// Checks the synchronization of a store, by asking `keychain-sync` for its status.
enum SynchronizationCheck {
    private static let topic = "synchronization"

    static func finding(of directory: String, _ isSynchronized: Bool) -> Finding {
        guard isSynchronized else {
            return Finding(topic, .ok, "this keychain is not synchronized")
        }
        guard let program = SyncProgram.find() else {
            let text = "this keychain is synchronized, but \(SyncProgram.name) is not installed"
            return Finding(topic, .problem, text, remedy: "install the package swift-keychain-sync")
        }
        guard (try? SystemKeychain.directoryOfEnvironment()) == directory else {
            let text = "this keychain is synchronized; its state was not read"
            return Finding(topic, .note, text, remedy: "set KEYCHAIN_HOME to its directory")
        }
        guard let (code, output) = try? ChildProgram(program, ["status", "--json"]).run(output: .captured),
            code == 0, let status = JSONValue(output)
        else {
            return Finding(
                topic,
                .problem,
                "the state of synchronization cannot be read",
                remedy: "security sync status says why"
            )
        }
        return finding(status, isRunning: isRunning(in: directory))
    }

    private static func finding(_ status: JSONValue, isRunning: Bool) -> Finding {
        if let problem = status["problem"]?.string {
            let text = "\(status["message"]?.string ?? "the last attempt failed") [\(problem)]"
            return Finding(topic, .problem, text, remedy: "security sync status has details")
        }
        if case .boolean(true)? = status["isOutOfContact"] {
            let text = "the server has acknowledged nothing for 48 hours"
            return Finding(topic, .problem, text, remedy: "check the server, and security sync status")
        }
        if case .boolean(true)? = status["isClockBehind"] {
            let text = "this device's clock is more than 24 hours slow, or another's fast"
            return Finding(topic, .problem, text, remedy: "set the clocks; date shows this device's")
        }
        let (devices, changes) = (status["devices"]?.integer ?? 0, status["outbox"]?.integer ?? 0)
        let text = "devices: \(devices); changes to be sent: \(changes)"
        if case .boolean(true)? = status["paused"] {
            return Finding(topic, .note, "\(text); paused", remedy: "security sync resume continues it")
        }
        guard isRunning else {
            let remedy = "systemctl --user enable --now keychain-sync.service, or security sync run"
            return Finding(topic, .note, "\(text); the synchronization agent is not running", remedy: remedy)
        }
        return Finding(topic, .ok, text)
    }

    /// Whether a process synchronizes the store: such a process holds a lock on the store's file `sync.lock`.
    private static func isRunning(in directory: String) -> Bool {
        let file = unsafe open(directory + "/sync.lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
