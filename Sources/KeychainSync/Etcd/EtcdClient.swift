// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Sends JSON to one member of a cluster; the implementation over HTTP is ``HTTPTransport``.
package protocol EtcdTransport: Sendable {
    /// Posts a body and returns the status and the body of the answer, without a time limit if `milliseconds` is `nil`.
    func post(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        milliseconds: Int64?
    ) async throws(EtcdError) -> (status: Int, body: [UInt8])

    /// Posts a body, and calls the closure with each line of the answer until it returns false.
    ///
    /// The time limit applies until the answer starts.
    func stream(
        _ body: [UInt8],
        to url: String,
        headers: [(String, String)],
        connectMilliseconds: Int64,
        _ line: @escaping @Sendable ([UInt8]) async -> Bool
    ) async throws(EtcdError)

    func shutdown() async
}

/// A client of etcd's JSON gateway, with failover to other members and password authentication.
package actor EtcdClient {
    private let configuration: EtcdConfiguration
    private let transport: any EtcdTransport
    private let deadlines: EtcdDeadlines
    /// The index of the member that is called next: the one that answered last, until ``skipMember()`` is called.
    private var current = 0
    private var token: String?

    /// The maximum number of keys that one range request reads; a longer range takes several requests.
    private static let pageCount = 500

    package init(
        _ configuration: EtcdConfiguration,
        over transport: any EtcdTransport,
        deadlines: EtcdDeadlines = EtcdDeadlines()
    ) {
        self.configuration = configuration
        self.transport = transport
        self.deadlines = deadlines
    }

    package func shutdown() async { await transport.shutdown() }

    /// Sends later calls to the next member, because the current one is silent or returns wrong data.
    package func skipMember() { current = (current + 1) % max(configuration.endpoints.count, 1) }

    /// Returns the keys with a prefix that were changed after a revision (0 for all keys), all as of one revision.
    package func range(prefix: String, changedSince: UInt64 = 0) async throws(EtcdError) -> EtcdRange {
        try await range(from: prefix.etcdKey, to: prefix.etcdRangeEnd, changedSince: changedSince)
    }

    /// Returns the keys with a prefix that are not before the key `first`, all as of one revision.
    package func range(prefix: String, from first: String) async throws(EtcdError) -> EtcdRange {
        try await range(from: first.etcdKey, to: prefix.etcdRangeEnd, changedSince: 0)
    }

    package func entry(_ key: String) async throws(EtcdError) -> EtcdRange {
        try await range(from: key.etcdKey, to: nil, changedSince: 0)
    }

    /// Returns the revision of a key, or 0 if the key does not exist, without a time limit of its own.
    ///
    /// A timer of SwiftNIO wakes the process even if it was cancelled. The caller therefore limits the time with a
    /// timer that it also needs for other work.
    package func revision(of key: String) async throws(EtcdError) -> UInt64 {
        let request = EtcdJSON.RangeRequest(key: key.etcdKey)
        let answer: EtcdJSON.RangeResponse = try await call("/v3/kv/range", request, milliseconds: nil)
        return answer.kvs?.first?.entry().revision ?? 0
    }

    private func range(
        from first: String,
        to end: String?,
        changedSince: UInt64
    ) async throws(EtcdError) -> EtcdRange {
        var result: EtcdRange?
        var next = first
        var lastKey = ""
        var limit = Self.pageCount
        while true {
            let request = EtcdJSON.RangeRequest(
                key: next,
                range_end: end,
                limit: end == nil ? nil : String(limit),
                revision: result.map { String($0.revision) },
                min_mod_revision: changedSince == 0 ? nil : String(changedSince + 1)
            )
            guard let answer = try await page(request, isSingle: limit == 1) else {
                limit = max(1, limit / 8)
                continue
            }
            guard let cluster = answer.header?.cluster_id.flatMap({ UInt64($0) }),
                let revision = EtcdJSON.revision(answer.header?.revision)
            else { throw .malformedAnswer }
            let entries = (answer.kvs ?? []).map { $0.entry() }
            if result == nil { result = EtcdRange(cluster: cluster, revision: revision, entries: []) }
            result?.entries += entries
            guard answer.more == true, let last = entries.last, let result else { break }
            guard cluster == result.cluster, last.key > lastKey else { throw .malformedAnswer }
            lastKey = last.key
            next = (Data(last.key.utf8) + [0]).base64EncodedString()
        }
        guard let result else { throw .malformedAnswer }
        return result
    }

    /// Reads the next keys of a range; `nil` if the answer is too large, so that the caller must ask for fewer keys.
    ///
    /// - Throws: `tooLarge` if the answer for a single key is too large; other errors of the call.
    private func page(
        _ request: EtcdJSON.RangeRequest,
        isSingle: Bool
    ) async throws(EtcdError) -> EtcdJSON.RangeResponse? {
        do throws(EtcdError) {
            return try await call("/v3/kv/range", request, milliseconds: deadlines.page)
        } catch {
            guard error == .tooLarge, request.range_end != nil, !isSingle else { throw error }
            return nil
        }
    }

    /// Runs a transaction; returns the revision at which it was applied, or `nil` if a comparison failed.
    ///
    /// After a transient error, such as `unreachable`, the transaction may have been applied.
    package func commit(
        _ transaction: EtcdTransaction,
        lease: String? = nil
    ) async throws(EtcdError) -> UInt64? {
        var request = EtcdJSON.TransactionRequest(
            compare: transaction.comparisons.map {
                EtcdJSON.Compare(key: $0.key.etcdKey, mod_revision: String($0.revision))
            },
            success: transaction.changes.map { change in
                guard let value = change.value else {
                    return EtcdJSON.Operation(request_delete_range: EtcdJSON.Delete(key: change.key.etcdKey))
                }
                let put = EtcdJSON.Put(
                    key: change.key.etcdKey,
                    value: Data(value).base64EncodedString(),
                    lease: lease
                )
                return EtcdJSON.Operation(request_put: put)
            }
        )
        if let range = transaction.deletedRange {
            let deletion = EtcdJSON.Delete(key: range.first.etcdKey, range_end: range.end.etcdKey)
            request.success.append(EtcdJSON.Operation(request_delete_range: deletion))
        }
        let answer: EtcdJSON.TransactionResponse = try await call(
            "/v3/kv/txn",
            request,
            milliseconds: deadlines.call
        )
        guard let revision = EtcdJSON.revision(answer.header?.revision) else { throw .malformedAnswer }
        return answer.succeeded == true ? revision : nil
    }

    /// Creates a lease and returns its identifier; etcd deletes the lease's keys after this number of seconds.
    package func lease(seconds: Int) async throws(EtcdError) -> String {
        let answer: EtcdJSON.LeaseResponse = try await call(
            "/v3/lease/grant",
            EtcdJSON.LeaseRequest(TTL: String(seconds)),
            milliseconds: deadlines.call
        )
        guard let identifier = answer.ID else { throw .malformedAnswer }
        return identifier
    }

    /// Calls the closure with all changes of keys with a prefix from a revision on, until the closure returns false.
    ///
    /// Also returns if the server ends the watch without an error.
    package func watch(
        prefix: String,
        from revision: UInt64,
        _ body: @escaping @Sendable (EtcdEvents) async -> Bool
    ) async throws(EtcdError) {
        let request = EtcdJSON.WatchRequest(
            create_request: .init(
                key: prefix.etcdKey,
                range_end: prefix.etcdRangeEnd,
                start_revision: String(revision)
            )
        )
        guard let message = try? JSONEncoder().encode(request) else { throw .malformedAnswer }
        let failure = WatchFailure()
        // Without this header, a member that loses its leader keeps the watch open and sends nothing.
        var headers = [("Grpc-Metadata-hasleader", "true")]
        if let token = try await currentToken() { headers.append(("Authorization", token)) }
        try await transport.stream(
            Array(message),
            to: endpoint + "/v3/watch",
            headers: headers,
            connectMilliseconds: deadlines.page
        ) { line in
            do throws(EtcdError) {
                guard let events = try Self.events(line, from: revision) else { return true }
                return await body(events)
            } catch {
                await failure.set(error)
                return false
            }
        }
        guard let error = await failure.error else { return }
        if error == .tokenExpired { token = nil }
        throw error
    }

    private actor WatchFailure {
        private(set) var error: EtcdError?
        func set(_ error: EtcdError) { self.error = error }
    }

    /// Decodes a message of a watch; `nil` if it contains no changes.
    private static func events(_ line: [UInt8], from start: UInt64) throws(EtcdError) -> EtcdEvents? {
        guard let message = try? JSONDecoder().decode(EtcdJSON.WatchMessage.self, from: Data(line)) else {
            throw .malformedAnswer
        }
        if let failure = message.error {
            guard failure.message?.contains("leader") != true else { throw .noLeader }
            throw .refused(failure.http_code ?? 0, text: failure.message)
        }
        guard let result = message.result else { throw .malformedAnswer }
        if let compacted = EtcdJSON.revision(result.compact_revision), compacted > 0 {
            throw .compacted(compacted)
        }
        if result.canceled == true {
            throw result.cancel_reason?.contains("leader") == true ? .noLeader : .tokenExpired
        }
        let revision = EtcdJSON.revision(result.header?.revision) ?? 0
        if result.created == true, revision + 1 < start { throw .futureRevision }
        guard let events = result.events, !events.isEmpty else { return nil }
        let entries = events.compactMap { $0.kv?.entry(isDeletion: $0.type == "DELETE") }
        return EtcdEvents(revision: max(revision, entries.map(\.revision).max() ?? 0), entries: entries)
    }
}

extension EtcdClient {
    private var endpoint: String {
        configuration.endpoints.isEmpty
            ? "" : configuration.endpoints[current % configuration.endpoints.count]
    }

    /// Calls one member after the other, until one returns a result, or an error after which no other can help.
    private func call<Answer: Decodable>(
        _ path: String,
        _ request: some Encodable,
        milliseconds: Int64?
    ) async throws(EtcdError) -> Answer {
        guard let body = try? JSONEncoder().encode(request) else { throw .malformedAnswer }
        var failure = EtcdError.unreachable
        for _ in configuration.endpoints.indices {
            do throws(EtcdError) {
                return try await authenticated(path, Array(body), milliseconds)
            } catch {
                guard error.allowsFailover else { throw error }
                failure = error
                skipMember()
            }
        }
        throw failure
    }

    /// The number of tokens to try at one member, because a new one can expire before it is used.
    private static let tokenCount = 3

    /// Calls the current member of the cluster; gets a new token if the member refuses the token.
    ///
    /// - Throws: `tokenExpired` if the member refuses several tokens, for example because it lags behind the other
    ///   members; `credentialsRefused` if the member refuses the user or the password, or requires a token although no
    ///   user is configured.
    private func authenticated<Answer: Decodable>(
        _ path: String,
        _ body: [UInt8],
        _ milliseconds: Int64?
    ) async throws(EtcdError) -> Answer {
        for _ in 0..<Self.tokenCount {
            var headers: [(String, String)] = []
            let used = try await currentToken()
            if let used { headers.append(("Authorization", used)) }
            do throws(EtcdError) {
                return try await post(path, body, headers, milliseconds)
            } catch {
                guard error == .tokenExpired else { throw error }
                guard used != nil else { throw .credentialsRefused }
                // Another call may have authenticated in the meantime: keep its token.
                if token == used { token = nil }
            }
        }
        throw .tokenExpired
    }

    private func post<Answer: Decodable>(
        _ path: String,
        _ body: [UInt8],
        _ headers: [(String, String)],
        _ milliseconds: Int64?
    ) async throws(EtcdError) -> Answer {
        let answer = try await transport.post(
            body,
            to: endpoint + path,
            headers: headers,
            milliseconds: milliseconds
        )
        guard answer.status == 200 else { throw EtcdError(status: answer.status, body: answer.body) }
        guard let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer.body)) else {
            throw .malformedAnswer
        }
        return decoded
    }

    /// Returns the token of the configured user, after authenticating if necessary; `nil` if there is no user.
    private func currentToken() async throws(EtcdError) -> String? {
        guard let user = configuration.user else { return nil }
        if let token { return token }
        let login = EtcdJSON.Login(name: user, password: configuration.password ?? "")
        guard let body = try? JSONEncoder().encode(login) else { throw .malformedAnswer }
        let answer: EtcdJSON.LoginResponse = try await post(
            "/v3/auth/authenticate",
            Array(body),
            [],
            deadlines.page
        )
        guard let token = answer.token else { throw .malformedAnswer }
        self.token = token
        return token
    }
}
