// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import Synchronization

/// A transport that changes etcd's answers to range requests.
final class LyingTransport: EtcdTransport {
    struct Pair: Equatable {
        var key: String
        var value: [UInt8]
        var revision: Int
    }

    typealias Lie = @Sendable ([Pair]) -> [Pair]

    private let honest: any EtcdTransport
    private let lie = Mutex<Lie?>(nil)
    private let revisionDifference = Mutex(0)

    init(_ honest: any EtcdTransport) { self.honest = honest }

    /// Makes `lie` change the pairs of every later range answer; `nil` leaves them unchanged.
    func tell(_ lie: Lie?) { self.lie.withLock { $0 = lie } }

    func goBack(by difference: Int) { revisionDifference.withLock { $0 = difference } }

    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        let answer = try await honest.post(body, to: url, headers: headers, milliseconds: milliseconds)
        guard url.hasSuffix("/range"), answer.status == 200 else { return answer }
        return (200, changed(answer.body))
    }

    private func changed(_ body: [UInt8]) -> [UInt8] {
        guard var json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            return body
        }
        let difference = revisionDifference.withLock { $0 }
        if var header = json["header"] as? [String: Any], let text = header["revision"] as? String,
            let revision = Int(text)
        {
            header["revision"] = String(revision - difference)
            json["header"] = header
        }
        if let lie = lie.withLock({ $0 }) {
            let pairs = (json["kvs"] as? [[String: Any]] ?? []).map { pair in
                Pair(
                    key: String(decoding: Self.data(pair["key"]), as: UTF8.self),
                    value: Array(Self.data(pair["value"])),
                    revision: Int(pair["mod_revision"] as? String ?? "") ?? 0
                )
            }
            json["kvs"] = lie(pairs).map { pair in
                [
                    "key": Data(pair.key.utf8).base64EncodedString(),
                    "value": Data(pair.value).base64EncodedString(), "mod_revision": String(pair.revision),
                ]
            }
        }
        return (try? JSONSerialization.data(withJSONObject: json)).map { Array($0) } ?? body
    }

    private static func data(_ value: Any?) -> Data {
        (value as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    func stream(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        connectMilliseconds: Int64,
        _ line: @escaping @Sendable ([UInt8]) async -> Bool
    ) async throws(EtcdError) {
        try await honest.stream(
            body,
            to: url,
            headers: headers,
            connectMilliseconds: connectMilliseconds,
            line
        )
    }

    func shutdown() async { await honest.shutdown() }
}
