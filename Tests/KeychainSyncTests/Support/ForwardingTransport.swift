// SPDX-License-Identifier: Apache-2.0

import KeychainSync

/// A transport that calls another one, and changes some of its calls or answers.
///
/// Calls that the conforming type does not implement are forwarded unchanged.
protocol ForwardingTransport: EtcdTransport {
    /// The transport that sends the calls to etcd.
    var honest: any EtcdTransport { get }
}

extension ForwardingTransport {
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
