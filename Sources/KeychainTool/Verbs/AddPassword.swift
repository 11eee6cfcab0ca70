// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `add-generic-password` and `add-internet-password`: add an item or, with `-U`, update it.
struct AddPassword {
    private let itemClass: ItemClass
    private let arguments: ScannedArguments

    init(_ itemClass: ItemClass, _ arguments: ScannedArguments) {
        self.itemClass = itemClass
        self.arguments = arguments
    }

    func run() throws(Failure) {
        guard !arguments.has("hexadecimal-password") || !hasText else {
            throw .usage("-w and -X are mutually exclusive")
        }
        var given = try arguments.attributes(of: itemClass, step: step)
        guard given.attributes[.account] != nil, given.attributes[locationAttribute] != nil else {
            throw .usage(
                "an account and a \(itemClass == .genericPassword ? "service" : "server") are required"
            )
        }
        try Keychains.useOperand(of: arguments)
        let control = try arguments.accessControl()
        if control != nil { given.attributes[.accessible] = nil }
        let password = try password()
        let state = try arguments.authentication(
            asking: ["application password for new item: ", "retype application password for new item: "]
        )
        arguments.warnOfOptionsWithoutEffect()
        var change = ItemChangeKind.added
        if arguments.has("update") {
            change = try update(given, control, password, state)
        } else {
            try add(given, control, password, state)
        }
        try arguments.reportChange(change, of: itemClass, given.stored)
    }

    /// Whether the password was given as a string, with `-w` or `-p`, rather than in hexadecimal digits.
    private var hasText: Bool { arguments.has("password") || arguments.has("legacy-password") }

    private var locationAttribute: Attribute { itemClass == .genericPassword ? .service : .server }

    private var step: String {
        itemClass == .genericPassword
            ? "SecKeychainItemCreateFromContent (<default>)" : "SecKeychainAddInternetPassword <NULL>"
    }

    func add(
        _ given: GivenAttributes,
        _ control: AccessControl?,
        _ password: [UInt8]?,
        _ state: ContextState
    ) throws(Failure) {
        var attributes = given.stored
        if attributes[.label] == nil { attributes[.label] = attributes[locationAttribute] }
        if itemClass == .internetPassword, attributes[.authenticationType] == nil {
            attributes[.authenticationType] = .string("dflt")
        }
        if let control { attributes[.accessible] = .string(control.protection.name) }
        let item = NewItem(
            itemClass: itemClass,
            attributes: attributes,
            secret: SecretBuffer(password ?? []),
            accessControl: control
        )
        guard control == nil || !given.isSynchronizable else {
            let error = StatusError(.invalidParameter, .conflictingKeys, attribute: .synchronizable)
            throw .status(error.status, step: step, reason: error)
        }
        try KeychainCalls.perform(.add(item), state, step: step)
    }

    /// Updates the first item that has all given primary key attributes, or adds an item.
    private func update(
        _ given: GivenAttributes,
        _ control: AccessControl?,
        _ password: [UInt8]?,
        _ state: ContextState
    ) throws(Failure) -> ItemChangeKind {
        var (query, changes) = (given, Attributes())
        for entry in given.attributes.entries where !Self.identifying.contains(entry.attribute) {
            changes[entry.attribute] = entry.value
            query.attributes[entry.attribute] = nil
        }
        if let control { changes[.accessible] = .string(control.protection.name) }
        let search = Request.copy(CopyRequest(filter: query.filter, returning: .persistentReference))
        // Retry, because another process may add or delete the item between two of these calls.
        for _ in 0..<Self.attempts {
            do throws(Failure) {
                let found = try KeychainCalls.perform(search, state, step: "SecKeychainSearchCopyNext")
                guard let item = found.first else { return .updated }
                let update = UpdateRequest(
                    filter: ItemFilter(itemClass: itemClass, reference: item.reference),
                    attributes: changes,
                    secret: password.map { SecretBuffer($0) },
                    accessControl: control
                )
                try KeychainCalls.perform(.update(update), state, step: "SecKeychainItemModifyContent")
                return .updated
            } catch {
                guard case .status(.itemNotFound, _, _) = error else { throw error }
            }
            do throws(Failure) {
                try add(given, control, password, state)
                return .added
            } catch {
                guard case .status(.duplicateItem, _, _) = error else { throw error }
            }
        }
        throw .status(.duplicateItem, step: "SecKeychainItemModifyContent")
    }

    private static let attempts = 16

    /// Primary key attributes that options can set, except the synchronizable flag; an update searches by them.
    private static let identifying: [Attribute] = [
        .account, .service, .server, .securityDomain, .path, .port, .protocol, .authenticationType,
        .accessGroup,
    ]

    private static let passwords = ["password", "legacy-password", "hexadecimal-password"]

    private func password() throws(Failure) -> [UInt8]? {
        guard
            let occurrence = arguments.occurrences.last(where: {
                Self.passwords.contains($0.option.name)
            })
        else { return nil }
        guard let text = occurrence.value else {
            return try SecretInput.newPassword(isInteractive: arguments.isInteractive)
        }
        if !arguments.isInteractive { Warning.passwordInArguments.give() }
        guard occurrence.option.kind == .hexadecimal else { return Array(text.utf8) }
        guard let bytes = BlobText.bytes(hexadecimal: text) else {
            throw .usage("-X takes pairs of hexadecimal digits")
        }
        return bytes
    }
}
