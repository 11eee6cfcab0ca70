// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import Synchronization

/// A transport that changes etcd's answers to range requests, and the messages of watches.
final class LyingTransport: ForwardingTransport {
    struct Pair: Equatable {
        var key: String
        var value: [UInt8]
        var revision: Int
        var isDeletion = false
    }

    typealias Lie = @Sendable ([Pair]) -> [Pair]

    let honest: any EtcdTransport
    private let lie = Mutex<Lie?>(nil)
    private let watchLie = Mutex<Lie?>(nil)
    private let message = Mutex<String?>(nil)
    private let ranges = Mutex(0)
    private let revisionDifference = Mutex(0)

    init(_ honest: any EtcdTransport) { self.honest = honest }

    /// Makes `lie` change the pairs of every later range answer; `nil` leaves them unchanged.
    func tell(_ lie: Lie?) { self.lie.withLock { $0 = lie } }

    /// Makes `lie` change the events of every later message of a watch.
    func tellWatch(_ lie: Lie?) { watchLie.withLock { $0 = lie } }

    /// Starts the next watch with a message that etcd has not sent.
    func startWatch(with message: String) { self.message.withLock { $0 = message } }

    /// How many range requests were answered.
    var rangeCount: Int { ranges.withLock { $0 } }

    func goBack(by difference: Int) { revisionDifference.withLock { $0 = difference } }

    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        let answer = try await honest.post(body, to: url, headers: headers, milliseconds: milliseconds)
        guard url.hasSuffix("/range"), answer.status == 200 else { return answer }
        ranges.withLock { $0 += 1 }
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
            let pairs = (json["kvs"] as? [[String: Any]] ?? []).map { Self.pair($0) }
            json["kvs"] = lie(pairs).map { Self.json($0) }
        }
        return (try? JSONSerialization.data(withJSONObject: json)).map { Array($0) } ?? body
    }

    private func changedMessage(_ line: [UInt8]) -> [UInt8] {
        guard let lie = watchLie.withLock({ $0 }),
            var json = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
            var result = json["result"] as? [String: Any], let events = result["events"] as? [[String: Any]]
        else { return line }
        let pairs = events.map { event in
            var pair = Self.pair(event["kv"] as? [String: Any] ?? [:])
            pair.isDeletion = event["type"] as? String == "DELETE"
            return pair
        }
        result["events"] = lie(pairs).map { pair -> [String: Any] in
            ["type": pair.isDeletion ? "DELETE" : "PUT", "kv": Self.json(pair)]
        }
        json["result"] = result
        return (try? JSONSerialization.data(withJSONObject: json)).map { Array($0) } ?? line
    }

    private static func pair(_ json: [String: Any]) -> Pair {
        Pair(
            key: String(decoding: data(json["key"]), as: UTF8.self),
            value: Array(data(json["value"])),
            revision: Int(json["mod_revision"] as? String ?? "") ?? 0
        )
    }

    private static func json(_ pair: Pair) -> [String: String] {
        [
            "key": Data(pair.key.utf8).base64EncodedString(),
            "value": Data(pair.value).base64EncodedString(), "mod_revision": String(pair.revision),
        ]
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
        let message = message.withLock { message in
            defer { message = nil }
            return message
        }
        if let message, await !line(Array(message.utf8)) { return }
        try await honest.stream(
            body,
            to: url,
            headers: headers,
            connectMilliseconds: connectMilliseconds
        ) { await line(self.changedMessage($0)) }
    }
}

extension LyingTransport.Pair {
    init(_ entry: EtcdEntry) {
        self.init(key: entry.key, value: entry.value ?? [], revision: Int(entry.revision))
    }
}
