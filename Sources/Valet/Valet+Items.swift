// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems

/// Lists the attributes of values, without the values. (Added to Valet.)
extension Valet {
    /// The attributes of a value.
    public struct Item: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The date when the value was first stored.
        public let created: Date?
        /// The date when the value was last changed.
        public let modified: Date?
        /// The access group of the value.
        public let accessGroup: String?
        /// When the value is readable; `nil` for a protection class that Valet has removed.
        public let accessibility: Accessibility?
        /// Whether the value synchronizes between the user's devices.
        public let isSynchronizable: Bool
    }

    /// Returns the attributes of all values, sorted by key.
    ///
    /// - Returns: The items; empty if there are no values. Third-party items whose account is bytes are
    ///   omitted.
    /// - Throws: An error of the keychain, such as `missingEntitlement` or `couldNotAccessKeychain`.
    public func items() throws(KeychainError) -> [Item] {
        let found = try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.allItems(in: sandbox)
        }
        return found.compactMap { Item($0) }.sorted { $0.key < $1.key }
    }
}

extension Valet.Item {
    fileprivate init?(_ item: GenericPassword) {
        guard let key = item.accountText else { return nil }
        self.key = key
        created = item.created
        modified = item.modified
        accessGroup = item.accessGroup?.rawValue
        let name = item.accessibility?.rawValue
        accessibility = Accessibility.allCases.first { $0.secAccessibilityAttribute == name }
        isSynchronizable = item.isSynchronizable
    }
}
