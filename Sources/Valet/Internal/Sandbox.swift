// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import Synchronization

/// The items of a valet, and its last failure.
final class Sandbox: Sendable {
    let service: Service
    let query: ItemQuery<GenericPassword>
    /// The query for all items of the service, of any accessibility.
    let identities: ItemQuery<GenericPassword>
    /// An item with all attributes but the key; ``item(_:)`` copies it and sets the key.
    private let template: GenericPassword
    private let vault: Vault
    private let failures = Mutex(Failures())

    private struct Failures {
        var last: KeychainFailure?
        /// The number of failures so far; comparing two counts shows whether a call failed in between.
        var count = 0
    }

    init(_ service: Service) {
        self.service = service
        query = ItemQuery(itemsOf: service)
        var identities = query
        identities.accessibility = nil
        self.identities = identities
        template = GenericPassword(of: service)
        vault = Vault(
            service: service.description,
            accessGroup: service.group.map { AccessGroup($0.description) }
        )
    }

    /// The query for the item of a key, among all items of the valet.
    func query(_ key: String) -> ItemQuery<GenericPassword> {
        var query = query
        query.account = ItemString(key)
        return query
    }

    /// The query for the item of a key, whatever its accessibility.
    func identity(_ key: String) -> ItemQuery<GenericPassword> {
        var query = identities
        query.account = ItemString(key)
        return query
    }

    /// Returns a new item for a key, with the attributes that all items of the valet have.
    func item(_ key: String) -> GenericPassword {
        var item = template
        item.account = ItemString(key)
        return item
    }

    /// Returns the vault that uses a session; for `nil`, the vault without a session.
    func vault(_ session: AuthenticationSession?) -> Vault {
        guard let session else { return vault }
        var vault = vault
        vault.session = session
        return vault
    }

    /// The vault for calls that must not prompt the user.
    var silentVault: Vault { vault(hasAccessControl ? AuthenticationSession(mayAsk: false) : nil) }

    /// Whether the items require authentication.
    var hasAccessControl: Bool { service.configuration.accessControl != nil }

    var lastFailure: KeychainFailure? { failures.withLock { $0.last } }

    func note(_ failure: KeychainFailure) {
        failures.withLock { $0 = Failures(last: failure, count: $0.count + 1) }
    }

    /// Runs a call; if it fails, records the failure and throws the equivalent `KeychainError`.
    func reporting<Result>(_ body: () throws(KeychainFailure) -> Result) throws(KeychainError) -> Result {
        do throws(KeychainFailure) {
            return try body()
        } catch let failed {
            note(failed)
            throw failed.error
        }
    }

    /// Runs a call that may throw any error.
    ///
    /// A ``KeychainFailure`` is recorded, and thrown as a `KeychainError`. Any other error is rethrown, and
    /// ``lastFailure`` becomes `nil` unless a failure was recorded during the call.
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

extension Configuration {
    var itemAccessibility: ItemAccessibility? {
        ItemAccessibility(rawValue: accessibility.secAccessibilityAttribute)
    }
}

extension ItemQuery<GenericPassword> {
    /// The query for the items of a valet, without the access control.
    fileprivate init(itemsOf service: Service) {
        self = .genericPasswords(service: service.description)
        let configuration = service.configuration
        synchronization = configuration.synchronizes ? .synchronizable : .local
        if configuration.accessControl == nil { accessibility = configuration.itemAccessibility }
    }
}

extension GenericPassword {
    /// A new item of a valet, without a key.
    fileprivate init(of service: Service) {
        self.init(service: service.description, account: "")
        let configuration = service.configuration
        if configuration.synchronizes { isSynchronizable = true }
        accessibility = configuration.itemAccessibility
        if let control = configuration.accessControl, let accessibility {
            accessControl = AccessControl(accessibility, [control.constraint])
        }
    }
}
