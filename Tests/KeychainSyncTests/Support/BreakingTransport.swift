// SPDX-License-Identifier: Apache-2.0

import KeychainSync
import Synchronization

/// A transport that loses the answer to a call, and can fail all later calls.
final class BreakingTransport: ForwardingTransport {
    let honest: any EtcdTransport
    private let rest = Mutex(Int.max)
    private let afterwards = Mutex<@Sendable () async -> Void>({})
    private let losesTransaction = Mutex(false)
    private let hasLostTransaction = Mutex(false)

    init(_ honest: any EtcdTransport) { self.honest = honest }

    /// Lets `count` calls succeed, loses the answer to the next one, and fails all later ones.
    func breakAfter(_ count: Int) { rest.withLock { $0 = count } }

    /// Loses the answer to the next transaction, which etcd applies; later calls succeed.
    ///
    /// The closure is called after etcd has applied the transaction, and before the caller notices the loss.
    func loseTransaction(_ afterwards: @escaping @Sendable () async -> Void = {}) {
        self.afterwards.withLock { $0 = afterwards }
        hasLostTransaction.withLock { $0 = false }
        losesTransaction.withLock { $0 = true }
    }

    /// Whether the answer to a transaction was lost since the last call of ``loseTransaction(_:)``.
    var hasLost: Bool { hasLostTransaction.withLock { $0 } }

    func repair() { rest.withLock { $0 = .max } }

    var isBroken: Bool { rest.withLock { $0 < 0 } }

    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        let rest = rest.withLock { rest in
            defer { if rest != .max { rest -= 1 } }
            return rest
        }
        guard rest >= 0 else { throw .unreachable }
        let answer = try await honest.post(body, to: url, headers: headers, milliseconds: milliseconds)
        let isLost = losesTransaction.withLock { loses in
            defer { if url.hasSuffix("/txn") { loses = false } }
            return loses && url.hasSuffix("/txn")
        }
        if isLost {
            hasLostTransaction.withLock { $0 = true }
            await afterwards.withLock { $0 }()
        }
        guard rest > 0, !isLost else { throw .unreachable }
        return answer
    }
}
