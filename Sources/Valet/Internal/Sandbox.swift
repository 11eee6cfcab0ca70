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
        value = AccountQuery(items.adding(kSecReturnData, Query.yes))
        identities = items.removing(kSecAttrAccessible)
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
