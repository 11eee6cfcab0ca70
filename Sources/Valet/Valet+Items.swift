// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems

/// Added to Valet: what is known of the values without reading them.
extension Valet {
    /// What the keychain knows of one value; the value is not here.
    public struct Item: Hashable, Sendable {
        /// The key.
        public let key: String
        /// When the value was first kept.
        public let created: Date?
        /// When the value was last changed.
        public let modified: Date?
        /// The access group in which the value is.
        public let accessGroup: String?
        /// When the value can be read; `nil` for a protection class that Valet no longer has.
        public let accessibility: Accessibility?
        /// Whether the value synchronizes between the user's devices.
        public let isSynchronizable: Bool
    }

    /// Lists what is known of every value, in the order of the keys; no value is read.
    ///
    /// - Returns: The items, none if nothing is kept. Those that others stored here under bytes are left out.
    /// - Throws: `missingEntitlement`, or `couldNotAccessKeychain`.
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
