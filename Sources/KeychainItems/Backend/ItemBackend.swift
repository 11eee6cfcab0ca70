// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// What carries out the requests of vaults: this package's client, or the system's `SecItem` functions.
package protocol ItemBackend: Sendable {
    /// Carries out a request.
    func perform(_ request: Request, in session: AuthenticationSession?) throws(StatusError) -> Response

    /// Carries out changes in their order, all or none.
    func perform(together changes: [Request], in session: AuthenticationSession?) throws(StatusError)

    /// Whether a query that names no access group reaches one group alone, so that it has at most one match.
    var reachesOneGroup: Bool { get }

    /// Whether locked items wait for the first unlock since the machine started.
    var isBeforeFirstUnlock: Bool { get }

    /// The access group of new items that name none; `nil` if it is not known.
    var defaultGroup: String? { get }

    /// The version of every item in the access groups of the program.
    func versions() throws(StatusError) -> [ItemVersion]

    /// Calls the closure on a thread of its own after each change, at least once a while, until it returns false.
    func watch(_ body: @escaping @Sendable () -> Bool)

    /// What is known without reading an item; the error is what keeps items of an accessibility from being written.
    func state(for accessibility: ItemAccessibility) -> BackendState
}

/// What a back end knows of the keychain.
package struct BackendState: Sendable {
    package var error: StatusError?
    /// The access groups of the program; `nil` where the system does not tell.
    package var accessGroups: [String]?
    /// The directory of the store; `nil` where the system does not tell.
    package var directory: String?

    package init(error: StatusError? = nil, accessGroups: [String]? = nil, directory: String? = nil) {
        self.error = error
        self.accessGroups = accessGroups
        self.directory = directory
    }
}
