// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import Synchronization

/// A transport that calls a closure before the next transaction, and can remove its comparisons.
final class PausingTransport: ForwardingTransport {
    typealias Action = @Sendable () async throws -> Void

    let honest: any EtcdTransport
    private let action = Mutex<Action?>(nil)
    /// Whether to remove the comparisons of transactions, as a control: then changes of others are overwritten.
    let removesComparisons: Bool

    init(_ honest: any EtcdTransport, removesComparisons: Bool = false) {
        self.honest = honest
        self.removesComparisons = removesComparisons
    }

    /// Calls the closure once, before the next transaction is sent.
    func beforeTransaction(_ action: @escaping Action) { self.action.withLock { $0 = action } }

    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        guard url.hasSuffix("/txn") else {
            return try await honest.post(body, to: url, headers: headers, milliseconds: milliseconds)
        }
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        do { try await action?() } catch { throw .unreachable }
        let sent = removesComparisons ? Self.withoutComparisons(body) : body
        return try await honest.post(sent, to: url, headers: headers, milliseconds: milliseconds)
    }

    private static func withoutComparisons(_ body: [UInt8]) -> [UInt8] {
        guard var json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            return body
        }
        json["compare"] = [Any]()
        return (try? JSONSerialization.data(withJSONObject: json)).map { Array($0) } ?? body
    }
}
