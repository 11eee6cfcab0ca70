// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import Testing

/// Answers that no etcd gives: each is an error, and none ends the process or is requested for ever.
@Suite struct HostileAnswerTests {
    /// A transport that returns the same answer to each call.
    private struct FixedTransport: EtcdTransport {
        let answer: String

        func post(
            _ body: [UInt8],
            to url: String,
            headers: [(String, String)],
            milliseconds: Int64?
        ) async throws(EtcdError) -> (status: Int, body: [UInt8]) { (200, Array(answer.utf8)) }

        func stream(
            _ body: [UInt8],
            to url: String,
            headers: [(String, String)],
            connectMilliseconds: Int64,
            _ line: @escaping @Sendable ([UInt8]) async -> Bool
        ) async throws(EtcdError) { _ = await line(Array(answer.utf8)) }

        func shutdown() async {}
    }

    private static let largest = "\(UInt64.max)"

    private func client(_ answer: String) -> EtcdClient {
        EtcdClient(EtcdConfiguration(endpoints: ["http://127.0.0.1:1"]), over: FixedTransport(answer: answer))
    }

    @Test(arguments: [
        #"{"header":{"cluster_id":"1","revision":"\#(largest)"}}"#,
        #"{"header":{"cluster_id":"1","revision":"-1"}}"#,
        // The same page again and again.
        #"{"header":{"cluster_id":"1","revision":"9"},"kvs":[{"key":"YQ==","mod_revision":"1"}],"more":true}"#,
    ])
    func `a range with an impossible revision, or whose pages never end, is malformed`(answer: String) async {
        await #expect(throws: EtcdError.malformedAnswer) { _ = try await client(answer).range(prefix: "a") }
    }

    @Test func `a watch with an impossible revision ends with an error`() async {
        let answer = #"{"result":{"created":true,"header":{"revision":"\#(Self.largest)"}}}"#
        await #expect(throws: EtcdError.futureRevision) {
            try await client(answer).watch(prefix: "a", from: 2) { _ in true }
        }
    }
}
