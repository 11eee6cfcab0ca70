// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainServices
import Synchronization

/// The prepared queries of a valet, and its last failure.
final class Sandbox: Sendable {
    let service: Service
    /// The attributes of new items.
    let attributes: Query
    /// The query for all items.
    let items: Query
    /// The query for items of any protection: the attributes that make them unique.
    let identities: Query
    /// The query for all items, for the typed API.
    let query: ItemQuery<GenericPassword>
    private let vault: Vault
    private let failures = Mutex(Failures())

    private struct Failures {
        var last: KeychainFailure?
        /// The number of failures, which shows whether a call failed.
        var count = 0
    }

    init(_ service: Service) {
        self.service = service
        attributes = Query(attributesOf: service)
        // A query cannot match by access control.
        items = attributes.removing(kSecAttrAccessControl)
        identities = items.removing(kSecAttrAccessible)
        query = ItemQuery(itemsOf: service)
        vault = Vault(
            service: service.description,
            accessGroup: service.group.map { AccessGroup($0.description) }
        )
    }

    /// The query for the item of a key.
    func query(_ key: String) -> ItemQuery<GenericPassword> {
        var query = query
        query.account = ItemString(key)
        return query
    }

    /// The vault for calls of the typed API.
    func vault(_ session: AuthenticationSession?) -> Vault {
        guard let session else { return vault }
        var vault = vault
        vault.session = session
        return vault
    }

    /// The canary: an item written to check for access.
    var canary: Query {
        items.adding(account: SandboxCalls.canaryKey).adding(kSecReturnData, Query.yes)
    }

    /// Whether the items require authentication.
    var hasAccessControl: Bool { service.configuration.accessControl != nil }

    /// The last failure on any thread.
    var lastFailure: KeychainFailure? { failures.withLock { $0.last } }

    /// Records a failure.
    func note(_ failure: KeychainFailure) {
        failures.withLock { $0 = Failures(last: failure, count: $0.count + 1) }
    }

    /// Runs a call; records a failure and throws the public error.
    func reporting<Result>(_ body: () throws(KeychainFailure) -> Result) throws(KeychainError) -> Result {
        do throws(KeychainFailure) {
            return try body()
        } catch let failed {
            note(failed)
            throw failed.error
        }
    }

    /// Runs a call with other errors; these reset the last failure.
    func reportingAny<Result>(_ body: () throws -> Result) throws -> Result {
        let count = failures.withLock { $0.count }
        do {
            return try body()
        } catch let failed as KeychainFailure {
            note(failed)
            throw failed.error
        } catch {
            failures.withLock { if $0.count == count { $0.last = nil } }
            throw error
        }
    }
}

extension ItemQuery<GenericPassword> {
    /// The query for the items of a valet, without the access control.
    fileprivate init(itemsOf service: Service) {
        self = .genericPasswords(service: service.description)
        let configuration = service.configuration
        synchronization = configuration.synchronizes ? .synchronizable : .local
        if configuration.accessControl == nil {
            accessibility = ItemAccessibility(
                rawValue: configuration.accessibility.secAccessibilityAttribute
            )
        }
    }
}
