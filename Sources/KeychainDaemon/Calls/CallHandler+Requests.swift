// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import Synchronization

extension CallHandler {
    func response(
        to request: Request,
        _ named: CallCredential,
        for session: Session
    ) throws(StatusError) -> Response {
        let (caller, credential) = (session.identity.caller, session.credential(named))
        do throws(StatusError) {
            return try stores.store(of: session.identity.user).use(
                creating: request.createsStore || token != nil && request.makesTokenKey
            ) { keychain throws(StatusError) in
                try response(to: request, in: keychain, for: caller, with: credential)
            }
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return try EmbeddedKeychain.perform(withoutStore: request, for: caller)
        }
    }

    /// Performs a request in an open store.
    ///
    /// ``token`` performs the requests that make or use a private key that only the daemon can read.
    private func response(
        to request: Request,
        in keychain: EmbeddedKeychain,
        for caller: Caller,
        with credential: Credential
    ) throws(StatusError) -> Response {
        if case .makeTokenKey(let item) = request, let token {
            let keys = TokenKeys(token: token, keychain: keychain, caller: caller, credential: credential)
            return try keys.make(item)
        }
        if case .useTokenKey(let use) = request, let token {
            let keys = TokenKeys(token: token, keychain: keychain, caller: caller, credential: credential)
            return try keys.use(use)
        }
        let request = try keepsTombstones(in: keychain, [request]) ? request : request.withoutTombstones
        return try TokenKeys.withoutPrivateHalves(keychain.perform(request, for: caller, with: credential))
    }

    /// Returns whether deleted synchronizable items leave tombstones.
    ///
    /// Only the program that synchronizes the store removes tombstones. In a store that has a size limit and is not
    /// synchronized, they would count towards the limit forever.
    private func keepsTombstones(
        in keychain: EmbeddedKeychain,
        _ requests: [Request]
    ) throws(StatusError) -> Bool {
        guard limits.store != nil, requests.contains(where: \.leavesTombstones) else { return true }
        return try keychain.isSynchronized()
    }

    /// Applies changes in one transaction.
    func apply(
        together changes: [Request],
        _ named: CallCredential,
        _ skipsDuplicates: Bool,
        for session: Session
    ) throws(StatusError) -> DaemonReply {
        let (caller, credential) = (session.identity.caller, session.credential(named))
        let skipped = SkippedChanges()
        let completed = Atomic<UInt32>(0)
        let add: @Sendable (Int) -> Void = { skipped.add($0) }
        let skip = skipsDuplicates ? add : nil
        do throws(StatusError) {
            try stores.store(of: session.identity.user).use(
                creating: changes.contains(where: \.createsStore)
            ) { keychain throws(StatusError) in
                skipped.removeAll()
                completed.store(0, ordering: .relaxed)
                let keeps = try keepsTombstones(in: keychain, changes)
                let changes = keeps ? changes : changes.map(\.withoutTombstones)
                try keychain.perform(together: changes, for: caller, with: credential, skip: skip) {
                    completed.store(UInt32(clamping: $0), ordering: .relaxed)
                    return true
                }
            }
        } catch {
            guard error.reason == .storeMissing, let first = changes.first else {
                return .undone(completed.load(ordering: .relaxed), error)
            }
            _ = try EmbeddedKeychain.perform(withoutStore: first, for: caller)
        }
        return .skipped(skipped.numbers)
    }
}

/// Collects the indexes of changes that a transaction skips because the item exists.
private final class SkippedChanges: Sendable {
    private let state = Mutex<[UInt32]>([])

    var numbers: [UInt32] { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { $0.append(UInt32(number)) } }

    func removeAll() { state.withLock { $0 = [] } }
}

extension Request {
    fileprivate var leavesTombstones: Bool {
        switch self {
        case .delete(let request): request.leavesTombstones
        case .deleteEach(let requests): requests.contains { $0.leavesTombstones }
        case .deleteIdentities(let request): request.leavesTombstones
        default: false
        }
    }

    fileprivate var withoutTombstones: Self {
        switch self {
        case .delete(var request):
            request.leavesTombstones = false
            return .delete(request)
        case .deleteEach(var requests):
            for index in requests.indices { requests[index].leavesTombstones = false }
            return .deleteEach(requests)
        case .deleteIdentities(var request):
            request.leavesTombstones = false
            return .deleteIdentities(request)
        default: return self
        }
    }

    fileprivate var makesTokenKey: Bool { if case .makeTokenKey = self { true } else { false } }
}
