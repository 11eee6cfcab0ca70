// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Executes the requests of vaults, with this package's client or with the `SecItem` functions.
package protocol ItemBackend: Sendable {
    func perform(_ request: Request, in session: AuthenticationSession?) throws(StatusError) -> Response

    /// Executes changes in order, all or nothing.
    ///
    /// `progress` receives the number of completed changes and returns whether to continue. If it returns
    /// `false`, `perform` throws `userCanceled`. `progress` must not call the keychain.
    func perform(
        together changes: [Request],
        in session: AuthenticationSession?,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError)

    /// Whether the program has only one access group; `false` if the back end does not know this.
    ///
    /// If so, a query that contains the whole primary key has at most one match, except a query for identities:
    /// several certificates can belong to one key.
    var reachesOneGroup: Bool { get }

    /// Whether the keychain has not been unlocked since the machine started; `false` if this is unknown.
    var isBeforeFirstUnlock: Bool { get }

    /// The access group of new items that name none; `nil` if the back end does not know it.
    var defaultGroup: String? { get }

    /// Returns a version of every item in the program's access groups: a number that differs after each change.
    func versions() throws(StatusError) -> [ItemVersion]

    /// The store and its number of changes; `nil` if the back end does not know them.
    ///
    /// While this value is the same, the result of ``versions()``, which costs more, is the same.
    var generation: StoreGeneration? { get }

    /// Calls the closure in the background at regular intervals until it returns `false`.
    ///
    /// A back end that is notified of keychain changes also calls the closure after each change.
    func watch(_ body: @escaping @Sendable () -> Bool)

    /// Returns the state of the keychain without reading an item.
    ///
    /// The state contains the error that writing items with the given accessibility would throw.
    func state(for accessibility: ItemAccessibility) -> BackendState
}

/// Identifies a store and, by the number of writes so far, a state of its contents.
package struct StoreGeneration: Hashable, Sendable {
    package let store: Bytes16
    package let number: UInt64

    package init(store: Bytes16, number: UInt64) {
        self.store = store
        self.number = number
    }
}

extension ItemBackend {
    package var generation: StoreGeneration? { nil }
}

package struct BackendState: Sendable {
    /// The error that writing an item would throw; `nil` if none is expected.
    package var error: StatusError?
    /// The access groups of the program; `nil` if the system does not report them.
    package var accessGroups: [String]?
    /// The directory of the store; `nil` if the system does not report it.
    package var directory: String?

    package init(error: StatusError? = nil, accessGroups: [String]? = nil, directory: String? = nil) {
        self.error = error
        self.accessGroups = accessGroups
        self.directory = directory
    }
}
