// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `edit`: changes attributes or the password of one item.
struct EditItem {
    let arguments: ScannedArguments

    private static let step = "SecKeychainItemModifyContent"

    func run() throws(Failure) {
        let name = try arguments.itemName()
        guard arguments.value("service") != "" else { throw .usage("the service cannot be empty") }
        let secret = try NewSecret(arguments)
        let changes = try arguments.attributes(of: .genericPassword, step: Self.step).attributes
        let setsPassword = arguments.has("password") || secret.isNamed
        let usesEditor = arguments.has("editor")
        guard !setsPassword || !usesEditor else {
            throw .usage("--editor and options for the password are mutually exclusive")
        }
        guard setsPassword || usesEditor || !changes.entries.isEmpty else {
            throw .usage("an attribute, --password, --editor, --generate or --fd is required")
        }
        let editor = usesEditor ? try Editor() : nil
        let (filter, item) = try item(name, withPassword: usesEditor)
        if filter.itemClass == .internetPassword, arguments.has("service") {
            throw .usage("an internet password has no service")
        }
        var password: [UInt8]? = setsPassword ? try secret.read() : nil
        defer { password?.wipe() }
        if let editor {
            password = try editor.edit(item.password)
            guard password?.isEmpty == false else {
                throw .message("the password would be empty; nothing was changed", result: 1)
            }
            if password == item.password {
                guard !changes.entries.isEmpty else { return Console.say("nothing was changed\n") }
                password = nil
            }
        }
        try update(item, changes, password, ifUnchanged: usesEditor)
        try arguments.reportChange(
            .updated,
            of: filter.itemClass,
            filter.attributes,
            [("changedAttributes", changes.json), ("passwordChanged", .boolean(password != nil))]
        )
    }

    /// Finds the item and the filter that matches it; with its password, the item also has its attributes.
    private func item(_ name: ItemName, withPassword: Bool) throws(Failure) -> (ItemFilter, ListedItem) {
        let returning: ReturnKeys =
            withPassword ? [.persistentReference, .attributes, .data] : .persistentReference
        return try name.first(in: arguments.namedKeychains, arguments) { filter throws(Failure) in
            (filter, try GetPassword.item(filter, returning: returning))
        }
    }

    /// Updates the item; with `ifUnchanged`, only if its modification date is still the one in `item`.
    private func update(
        _ item: ListedItem,
        _ changes: Attributes,
        _ password: [UInt8]?,
        ifUnchanged: Bool
    ) throws(Failure) {
        let reference = item.found.reference
        var filter = ItemFilter(itemClass: reference.itemClass, reference: reference)
        if ifUnchanged { filter.attributes[.modificationDate] = item.found.attributes[.modificationDate] }
        let update = UpdateRequest(
            filter: filter,
            attributes: changes,
            secret: password.map { SecretBuffer($0) }
        )
        do throws(Failure) {
            try KeychainCalls.perform(.update(update), ContextState(), step: Self.step)
        } catch .status(.itemNotFound, _, _) where ifUnchanged {
            throw .message("the item was changed meanwhile; nothing was changed", result: 1)
        }
    }
}
