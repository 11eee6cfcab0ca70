// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Sends requests to the keychain of the current test, without the dictionaries of `SecItemAdd` and the like.
struct Calls {
    var keychain: EmbeddedKeychain
    var caller: Caller

    init() throws {
        let connection = try #require(SystemKeychain.override)
        keychain = try #require(connection.embedded)
        caller = connection.caller
    }

    /// Returns calls to the same keychain by a caller with other access groups.
    func with(groups: [String]) -> Self {
        var calls = self
        calls.caller = Caller(applicationIdentifier: "canary.app", accessGroups: groups)
        return calls
    }

    /// Returns calls to the same store through a new connection.
    func reopened(clock: (@Sendable () -> Double)? = nil) throws -> Self {
        let location = try StoreLocation(directory: #require(SearchedKeychain.directory).path)
        var calls = self
        calls.keychain =
            try clock.map { try EmbeddedKeychain(at: location, clock: $0) } ?? EmbeddedKeychain(at: location)
        return calls
    }

    @discardableResult
    func add(
        _ attributes: Attributes,
        _ secret: SecretBuffer? = SecretBuffer("canary secret".utf8),
        as itemClass: ItemClass = .genericPassword,
        accessControl: AccessControl? = nil,
        returning: ReturnKeys = .everything
    ) throws(StatusError) -> FoundItem? {
        let item = NewItem(
            itemClass: itemClass,
            attributes: attributes,
            secret: secret,
            accessControl: accessControl,
            returning: returning
        )
        guard case .items(let items) = try keychain.perform(.add(item), for: caller) else { return nil }
        return items.first
    }

    func find(
        _ filter: ItemFilter,
        limit: MatchLimit = .all,
        returning: ReturnKeys = .everything
    ) throws(StatusError) -> [FoundItem] {
        let request = CopyRequest(filter: filter, limit: limit, returning: returning)
        guard case .items(let items) = try keychain.perform(.copy(request), for: caller) else { return [] }
        return items
    }

    func update(
        _ filter: ItemFilter,
        _ attributes: Attributes = [:],
        secret: SecretBuffer? = nil,
        accessControl: AccessControl? = nil
    ) throws(StatusError) {
        let request = UpdateRequest(
            filter: filter,
            attributes: attributes,
            secret: secret,
            accessControl: accessControl
        )
        _ = try keychain.perform(.update(request), for: caller)
    }

    func delete(_ filter: ItemFilter, leavesTombstones: Bool = true) throws(StatusError) {
        let request = DeleteRequest(filter: filter, leavesTombstones: leavesTombstones)
        _ = try keychain.perform(.delete(request), for: caller)
    }

    func status() throws -> StoreStatus {
        guard case .status(let status) = try keychain.perform(.status, for: caller) else {
            throw StatusError(.internalInconsistency)
        }
        return status
    }

    /// Returns the sorted accounts of the matching items; an empty array for `errSecItemNotFound`.
    func accounts(_ filter: ItemFilter, limit: MatchLimit = .all) throws -> [String] {
        do throws(StatusError) {
            return try find(filter, limit: limit).map { $0.attributes[.account]?.text ?? "" }.sorted()
        } catch {
            guard error == StatusError(.itemNotFound) else { throw error }
            return []
        }
    }
}

extension ReturnKeys {
    static let everything: Self = [.data, .attributes, .persistentReference]
}

extension ItemFilter {
    static func generic(
        _ attributes: Attributes = [:],
        _ synchronizable: Synchronizable = .unspecified
    ) -> Self {
        Self(itemClass: .genericPassword, attributes: attributes, synchronizable: synchronizable)
    }

    static func internet(
        _ attributes: Attributes = [:],
        _ synchronizable: Synchronizable = .unspecified
    ) -> Self {
        Self(itemClass: .internetPassword, attributes: attributes, synchronizable: synchronizable)
    }

    static func reference(_ item: FoundItem?, _ attributes: Attributes = [:]) throws -> Self {
        let reference = try #require(item).reference
        return Self(itemClass: reference.itemClass, attributes: attributes, reference: reference)
    }
}

/// Expects `call` to throw an error with this status, whatever its reason.
func expect(
    _ status: Status,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () throws -> Void
) {
    do {
        try call()
        Issue.record("the call succeeded", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? StatusError)?.status == status, sourceLocation: sourceLocation)
    }
}
