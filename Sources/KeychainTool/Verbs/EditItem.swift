// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `edit`: changes attributes or the password of one generic password.
struct EditItem {
    let arguments: ScannedArguments

    private static let step = "SecKeychainItemModifyContent"

    func run() throws(Failure) {
        let name = try arguments.itemName()
        let secret = try NewSecret(arguments)
        let changes = try arguments.attributes(of: .genericPassword, step: Self.step).attributes
        let setsPassword = arguments.has("password") || secret.isNamed
        guard !setsPassword || !arguments.has("editor") else {
            throw .usage("--editor and options for the password are mutually exclusive")
        }
        let usesEditor = arguments.has("editor")
        guard setsPassword || usesEditor || !changes.entries.isEmpty else {
            throw .usage("an attribute, --password, --editor, --generate or --fd is required")
        }
        let editor = usesEditor ? try Editor() : nil
        let keychains = arguments.namedKeychains
        let filter = try name.withAccount(in: keychains, arguments)
        let returning: ReturnKeys =
            editor == nil ? .persistentReference : [.persistentReference, .attributes, .data]
        let item = try GetPassword.item(filter, returning: returning, in: keychains, arguments)
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
        try update(item, changes, password, ifUnchanged: editor != nil)
        try arguments.reportChange(
            .updated,
            of: .genericPassword,
            filter.attributes,
            [("changedAttributes", changes.json), ("passwordChanged", .boolean(password != nil))]
        )
    }

    /// Updates the item; with `ifUnchanged`, only if its modification date is still the one in `item`.
    private func update(
        _ item: ListedItem,
        _ changes: Attributes,
        _ password: [UInt8]?,
        ifUnchanged: Bool
    ) throws(Failure) {
        var filter = ItemFilter(itemClass: .genericPassword, reference: item.found.reference)
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
