// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainServices
import Synchronization

/// What one valet asks the keychain for, prepared once, and what failed last.
final class Sandbox: Sendable {
    let service: Service
    /// What every item has: the base of what is added.
    let attributes: Query
    /// What every item is found by.
    let items: Query
    /// The same whatever the items are protected by: what makes them unique.
    let identities: Query
    /// What every item is found by, in calls of the typed API.
    let query: ItemQuery<GenericPassword>
    private let vault: Vault
    private let failures = Mutex(Failures())

    private struct Failures {
        var last: KeychainFailure?
        /// How many there were, which tells whether a call met one.
        var count = 0
    }

    init(_ service: Service) {
        self.service = service
        attributes = Query(attributesOf: service)
        // No search tells constraints apart, and asking for some says nothing.
        items = attributes.removing(kSecAttrAccessControl)
        identities = items.removing(kSecAttrAccessible)
        query = ItemQuery(itemsOf: service)
        vault = Vault(
            service: service.description,
            accessGroup: service.group.map { AccessGroup($0.description) }
        )
    }

    /// What the item of a key is found by.
    func query(_ key: String) -> ItemQuery<GenericPassword> {
        var query = query
        query.account = ItemString(key)
        return query
    }

    /// What calls of the typed API go through.
    func vault(_ session: AuthenticationSession?) -> Vault {
        guard let session else { return vault }
        var vault = vault
        vault.session = session
        return vault
    }

    /// The value of the item that is written to see whether writing works.
    var canary: Query {
        items.adding(account: SandboxCalls.canaryKey).adding(kSecReturnData, Query.yes)
    }

    /// Whether the items demand something of the user.
    var isConstrained: Bool { service.configuration.accessControl != nil }

    /// The failure that any thread met last.
    var lastFailure: KeychainFailure? { failures.withLock { $0.last } }

    /// Keeps what failed.
    func note(_ failure: KeychainFailure) {
        failures.withLock { $0 = Failures(last: failure, count: $0.count + 1) }
    }

    /// Runs a call of the valet: what fails is kept, and thrown as the error that callers know.
    func reporting<Result>(_ body: () throws(KeychainFailure) -> Result) throws(KeychainError) -> Result {
        do throws(KeychainFailure) {
            return try body()
        } catch let failed {
            note(failed)
            throw failed.error
        }
    }

    /// The same for a call that can fail for other reasons too: then what an older call met is no longer the last failure.
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
    /// What finds the items of a valet; no search tells constraints apart.
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
