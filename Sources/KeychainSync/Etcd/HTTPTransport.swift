// SPDX-License-Identifier: Apache-2.0

#if Synchronization
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends JSON over HTTP or HTTPS, with a client certificate if the configuration names one.
package final class HTTPTransport: EtcdTransport {
    private let client: HTTPClient
    private static let largestAnswer = 64 << 20
    private static let largestLine = 16 << 20

    /// Creates a transport with the certificates of a configuration.
    ///
    /// - Throws: `certificateFile` if a file is missing or malformed.
    package init(
        _ configuration: EtcdConfiguration,
        deadlines: EtcdDeadlines = EtcdDeadlines()
    ) throws(EtcdError) {
        var settings = HTTPClient.Configuration(
            tlsConfiguration: try Self.tls(configuration),
            redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(deadlines.connect))
        )
        settings.httpVersion = .http1Only
        // Longer than the pause between two calls of an idle agent, which otherwise would connect again for each call.
        settings.connectionPool.idleTimeout = .minutes(3)
        // Do not retry: the agent repeats failed calls, and a refused certificate is then reported at once.
        settings.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    private static func tls(_ configuration: EtcdConfiguration) throws(EtcdError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        do {
            if let path = configuration.certificateAuthority {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            }
            if let path = configuration.certificate {
                tls.certificateChain = try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) }
            }
            if let path = configuration.key {
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: path, format: .pem))
            }
        } catch {
            throw .certificateFile
        }
        return tls
    }

    package func shutdown() async { try? await client.shutdown() }

    // An `HTTPClient` must be shut down before it is released; shutting it down twice does no harm.
    deinit { client.shutdown { _ in } }

    private func request(_ body: [UInt8], _ url: String, _ headers: [(String, String)]) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }

    package func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
        let request = request(body, url, headers)
        // The deadline of `execute` does not cover the body of the answer, so a timer cancels the whole call.
        let call = Task {
            let response = try await client.execute(request, deadline: .distantFuture)
            let answer = try await response.body.collect(upTo: Self.largestAnswer)
            return (status: Int(response.status.code), body: Array(answer.readableBytesView))
        }
        let timer = milliseconds.map { AgentThreads.runTask(after: UInt64($0)) { call.cancel() } }
        defer { timer?.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await call.value
            } onCancel: {
                call.cancel()
            }
        } catch {
            throw Self.failure(error)
        }
    }

    package func stream(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        connectMilliseconds: Int64,
        _ line: @escaping @Sendable ([UInt8]) async -> Bool
    ) async throws(EtcdError) {
        do {
            let response = try await client.execute(
                request(body, url, headers),
                timeout: .milliseconds(connectMilliseconds)
            )
            guard response.status == .ok else {
                let answer = try await response.body.collect(upTo: Self.largestLine)
                throw EtcdError(status: Int(response.status.code), body: Array(answer.readableBytesView))
            }
            var unread: [UInt8] = []
            for try await part in response.body {
                unread += part.readableBytesView
                while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    let message = Array(unread[..<end])
                    unread.removeSubrange(...end)
                    guard await line(message) else { return }
                }
                guard unread.count <= Self.largestLine else { throw EtcdError.malformedAnswer }
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> EtcdError {
        switch error {
        case let error as EtcdError: error
        case is NIOTooManyBytesError: .tooLarge
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .certificateRefused
        default: .unreachable
        }
    }
}
#endif
