// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Synchronization

/// What one valet asks the keychain for, prepared once, and what failed last.
final class Sandbox: Sendable {
    let service: Service
    /// What every item has: the base of what is added.
    let attributes: Query
    /// What every item is found by.
    let items: Query
    /// The same for the value of an account.
    let value: AccountQuery
    /// The same whatever the items are protected by: what makes them unique.
    let identities: Query
    private let failure = Mutex<KeychainFailure?>(nil)

    init(_ service: Service) {
        self.service = service
        attributes = Query(attributesOf: service)
        // No search tells constraints apart, and asking for some says nothing.
        items = attributes.removing(kSecAttrAccessControl)
        value = AccountQuery(items.adding(kSecReturnData, Query.yes))
        identities = items.removing(kSecAttrAccessible)
    }

    /// Whether the items demand something of a person.
    var isConstrained: Bool { service.configuration.accessControl != nil }

    /// The failure that any thread met last.
    var lastFailure: KeychainFailure? { failure.withLock { $0 } }

    /// Runs a call of the valet: what fails is kept, and thrown as the error that callers know.
    func reporting<Result>(_ body: () throws(KeychainFailure) -> Result) throws(KeychainError) -> Result {
        do throws(KeychainFailure) {
            return try body()
        } catch let failed {
            failure.withLock { $0 = failed }
            throw failed.error
        }
    }

    /// The same for a call that can fail for other reasons too.
    func reportingAny<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failed as KeychainFailure {
            failure.withLock { $0 = failed }
            throw failed.error
        }
    }
}
