// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import Synchronization

/// A transport whose server refuses calls, or whose answers to range requests are too large.
final class RefusingTransport: ForwardingTransport {
    /// The calls that the server refuses.
    enum Limit: Sendable {
        /// Transactions with more changes than this, as if they were too large.
        case changes(Int)
        /// Transactions whose bodies have more bytes than this.
        case bytes(Int)
        /// Ranges with more keys than this, whose answers are too large for the transport.
        case keys(Int)
        /// All transactions, because the quota is exhausted.
        case quota
        /// All transactions, because they change one key twice.
        case invalid
        /// All calls, because the user has no rights.
        case rights
        /// All transactions, because the user's token is invalid: the users of etcd were changed after the login.
        case token
        /// All calls to the etcd member with this URL, which does not know the user yet.
        case member(String)
        /// This many calls with a token, as if it had expired.
        case expired(Int)
    }

    static let invalidMessage = "etcdserver: duplicate key given in txn request"

    let honest: any EtcdTransport
    private let limit = Mutex<Limit?>(nil)

    init(_ honest: any EtcdTransport) { self.honest = honest }

    /// Sets which of the following calls are refused; `nil` allows all.
    func refuse(_ limit: Limit?) { self.limit.withLock { $0 = limit } }

    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        let hasToken = headers.contains { $0.0 == "Authorization" }
        let limit = limit.withLock { limit in
            defer {
                if case .expired(let count) = limit, hasToken {
                    limit = count > 1 ? .expired(count - 1) : nil
                }
            }
            return limit
        }
        let isTransaction = url.hasSuffix("/txn")
        switch limit {
        case .changes(let count) where isTransaction && Self.count(body, "success") > count,
            .bytes(let count) where isTransaction && body.count > count:
            return Self.failure(400, 3, "etcdserver: request is too large")
        case .invalid where isTransaction:
            return Self.failure(400, 3, Self.invalidMessage)
        case .quota where isTransaction:
            return Self.failure(429, 8, "etcdserver: mvcc: database space exceeded")
        case .token where isTransaction:
            return Self.failure(400, 3, "etcdserver: revision of auth store is old")
        case .expired where hasToken:
            return Self.failure(401, 16, "etcdserver: invalid auth token")
        case .member(let endpoint) where url.hasPrefix(endpoint):
            return Self.failure(403, 7, "etcdserver: permission denied")
        case .rights: return Self.failure(403, 7, "etcdserver: permission denied")
        default: break
        }
        let answer = try await honest.post(body, to: url, headers: headers, milliseconds: milliseconds)
        if case .keys(let count) = limit, url.hasSuffix("/range"), Self.count(answer.body, "kvs") > count {
            throw .tooLarge
        }
        return answer
    }

    private static func count(_ body: [UInt8], _ list: String) -> Int {
        let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return (json?[list] as? [Any])?.count ?? 0
    }

    private static func failure(_ status: Int, _ code: Int, _ text: String) -> (Int, [UInt8]) {
        (status, Array(#"{"error":"\#(text)","message":"\#(text)","code":\#(code)}"#.utf8))
    }
}
