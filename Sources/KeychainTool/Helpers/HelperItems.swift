// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

enum HelperItems {
    private static let step = "SecKeychainSearchCopyNext"

    /// Returns the matching items, with attributes and, by default, passwords; empty if there are none.
    ///
    /// Local items precede synchronizable items.
    static func find(_ filter: ItemFilter, withData: Bool = true) throws(Failure) -> [ListedItem] {
        let returning: ReturnKeys = withData ? [.attributes, .data] : .attributes
        var filter = filter
        if filter.synchronizable == .unspecified { filter.synchronizable = .any }
        var request = CopyRequest(filter: filter, limit: .all, returning: returning)
        // A helper must not wait for the user, so it skips items that require authentication.
        request.skipsConstrained = true
        do throws(Failure) {
            let found = try KeychainCalls.perform(.copy(request), ContextState(), step: step)
            let items = found.map(ListedItem.init)
            return items.filter { !$0.isSynchronizable } + items.filter(\.isSynchronizable)
        } catch .status(.itemNotFound, _, _) {
            return []
        }
    }

    static func store(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        _ password: [UInt8]
    ) throws(Failure) {
        try change { () throws(Failure) in [try storing(itemClass, attributes, password)] }
    }

    /// The change that updates the first item that has the attributes, or adds an item if there is none.
    ///
    /// The label, description and comment in `attributes` are not compared: an update replaces them and the password.
    /// Items that require authentication are not updated.
    static func storing(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        _ password: [UInt8]
    ) throws(Failure) -> Request {
        var (identity, changes) = (attributes, Attributes())
        for attribute in [Attribute.label, .description, .comment] {
            changes[attribute] = attributes[attribute]
            identity[attribute] = nil
        }
        let secret = SecretBuffer(password)
        let filter = ItemFilter(itemClass: itemClass, attributes: identity)
        guard let found = try reference(of: filter, skippingConstrained: true) else {
            return .add(NewItem(itemClass: itemClass, attributes: attributes, secret: secret))
        }
        let match = ItemFilter(itemClass: itemClass, reference: found)
        return .update(UpdateRequest(filter: match, attributes: changes, secret: secret))
    }

    /// Returns the reference of the first matching item; `nil` if no item matches.
    ///
    /// `synchronizable` says in which order local and synchronizable items are searched.
    static func reference(
        of filter: ItemFilter,
        synchronizable: [Bool] = [false, true],
        skippingConstrained: Bool = false
    ) throws(Failure) -> PersistentReference? {
        var request = CopyRequest(filter: filter, returning: .persistentReference)
        request.skipsConstrained = skippingConstrained
        for isSynchronizable in synchronizable {
            request.filter.synchronizable = .exactly(isSynchronizable)
            do throws(Failure) {
                let found = try KeychainCalls.perform(.copy(request), ContextState(), step: step)
                if let item = found.first { return item.reference }
            } catch .status(.itemNotFound, _, _) {}
        }
        return nil
    }

    /// Makes the changes that `body` returns, all or nothing.
    ///
    /// Calls `body` again, up to 16 times in all, if another process has added or deleted an item meanwhile.
    static func change(
        step: String = "SecKeychainItemModifyContent",
        _ body: () throws(Failure) -> [Request]
    ) throws(Failure) {
        for _ in 1..<attempts {
            let changes = try body()
            do throws(Failure) {
                return try KeychainCalls.perform(together: changes, step: step)
            } catch {
                switch error {
                case .status(.itemNotFound, _, _), .status(.duplicateItem, _, _): continue
                default: throw error
                }
            }
        }
        try KeychainCalls.perform(together: body(), step: step)
    }

    private static let attempts = 16

    static func deleting(_ item: ListedItem) -> Request {
        let reference = item.found.reference
        return .delete(
            DeleteRequest(filter: ItemFilter(itemClass: reference.itemClass, reference: reference))
        )
    }

    static func delete(_ item: ListedItem) throws(Failure) {
        try KeychainCalls.perform(deleting(item), ContextState(), step: "SecKeychainItemDelete")
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
