// SPDX-License-Identifier: Apache-2.0

import KeychainSync
import Synchronization

/// A transport that holds back messages of watches or answers to range requests, and counts messages and requests.
final class HoldingTransport: ForwardingTransport {
    private struct State {
        var holdsEvents = false
        var holdsRanges = false
        var rangeCount = 0
        var messageCount = 0
    }

    let honest: any EtcdTransport
    private let state = Mutex(State())

    init(_ honest: any EtcdTransport) { self.honest = honest }

    func holdEvents(_ isHolding: Bool) { state.withLock { $0.holdsEvents = isHolding } }

    func holdRanges(_ isHolding: Bool) { state.withLock { $0.holdsRanges = isHolding } }

    /// The number of range requests.
    var rangeCount: Int { state.withLock { $0.rangeCount } }

    /// The number of messages with changes that watches have received.
    var messageCount: Int { state.withLock { $0.messageCount } }

    /// Waits until the condition is false, or the task is cancelled.
    private func wait(_ isHolding: @Sendable (State) -> Bool) async {
        while !Task.isCancelled, state.withLock({ isHolding($0) }) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        if url.hasSuffix("/range") {
            state.withLock { $0.rangeCount += 1 }
            await wait { $0.holdsRanges }
        }
        return try await honest.post(body, to: url, headers: headers, milliseconds: milliseconds)
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
            connectMilliseconds: connectMilliseconds
        ) { message in
            if String(decoding: message, as: UTF8.self).contains(#""events":"#) {
                self.state.withLock { $0.messageCount += 1 }
                await self.wait { $0.holdsEvents }
            }
            return await line(message)
        }
    }
}
