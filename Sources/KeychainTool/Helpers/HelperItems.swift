// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// Finds, stores and deletes the items of credential helpers.
enum HelperItems {
    private static let step = "SecKeychainSearchCopyNext"

    /// Returns the matching items, with attributes and, by default, passwords; empty if there are none.
    static func find(_ filter: ItemFilter, withData: Bool = true) throws(Failure) -> [ListedItem] {
        let returning: ReturnKeys = withData ? [.attributes, .data] : .attributes
        var request = CopyRequest(filter: filter, limit: .all, returning: returning)
        // A helper must not wait for the user, so it skips items that require authentication.
        request.skipsConstrained = true
        do throws(Failure) {
            return try KeychainCalls.perform(.copy(request), ContextState(), step: step).map(ListedItem.init)
        } catch .status(.itemNotFound, _, _) {
            return []
        }
    }

    /// Adds an item, or replaces the password of the item with the same primary key.
    static func store(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        _ password: [UInt8]
    ) throws(Failure) {
        var (identity, changes) = (attributes, Attributes())
        for attribute in [Attribute.label, .description, .comment] {
            changes[attribute] = attributes[attribute]
            identity[attribute] = nil
        }
        let update = UpdateRequest(
            filter: ItemFilter(itemClass: itemClass, attributes: identity),
            attributes: changes,
            secret: SecretBuffer(password)
        )
        let item = NewItem(itemClass: itemClass, attributes: attributes, secret: SecretBuffer(password))
        try KeychainCalls.perform(
            .set(SetRequest(update: update, item: item)),
            ContextState(),
            step: "SecKeychainItemModifyContent"
        )
    }

    static func delete(_ item: ListedItem) throws(Failure) {
        let reference = item.found.reference
        let filter = ItemFilter(itemClass: reference.itemClass, reference: reference)
        try KeychainCalls.perform(
            .delete(DeleteRequest(filter: filter)),
            ContextState(),
            step: "SecKeychainItemDelete"
        )
    }

    /// Returns the attributes of an internet password, converted to the types that items store.
    static func internet(
        server: String,
        protocol code: String,
        port: Int64?,
        path: String?,
        account: String?
    ) throws(Failure) -> Attributes {
        let supplied: [(Attribute, SuppliedValue?)] = [
            (.server, .string(server)), (.protocol, .string(code)), (.port, port.map { .number($0) }),
            (.path, path.map { .string($0) }), (.account, account.map { .string($0) }),
        ]
        let schema = ItemSchema.of(.internetPassword)
        var attributes = Attributes()
        for (attribute, value) in supplied {
            guard let value, let rule = schema[attribute] else { continue }
            attributes[attribute] = try KeychainCalls.recording(step) { () throws(StatusError) in
                try rule.kind.convert(value, for: attribute)
            }
        }
        return attributes
    }
}

/// The four-character codes of URL schemes, as macOS stores them.
enum SchemeCode {
    // swift-format-ignore
    private static let table: [(scheme: String, code: String)] = [
        ("https", "htps"), ("http", "http"), ("ftp", "ftp "), ("ftps", "ftps"), ("smtp", "smtp"),
        ("smtps", "smtp"), ("imap", "imap"), ("imaps", "imps"), ("ssh", "ssh "), ("ldap", "ldap"),
        ("ldaps", "ldps"), ("pop3", "pop3"), ("pop3s", "pops"),
    ]

    static func code(of scheme: String) -> String? {
        table.first { $0.scheme == scheme.lowercased() }?.code
    }

    static func scheme(of code: String) -> String? { table.first { $0.code == code }?.scheme }
}
