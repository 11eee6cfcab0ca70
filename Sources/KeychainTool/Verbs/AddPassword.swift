// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `add-generic-password` and `add-internet-password`.
struct AddPassword {
    let passwordClass: PasswordClass
    let arguments: ScannedArguments
    let isInteractive: Bool

    func run() throws(Failure) {
        guard !arguments.has("hexadecimal-password") || !hasText else {
            throw .usage("-w and -X are mutually exclusive")
        }
        var attributes = try arguments.dictionary(for: passwordClass)
        guard attributes[kSecAttrAccount] != nil, attributes[placeAttribute] != nil else {
            throw .usage("an account and a \(passwordClass == .generic ? "service" : "server") are required")
        }
        try Keychains.useOperand(of: arguments)
        if let control = try arguments.accessControl() {
            attributes[kSecAttrAccessible] = nil
            attributes[kSecAttrAccessControl] = control
        }
        let password = try password()
        let context = try arguments.context(
            asking: ["application password for new item: ", "retype application password for new item: "],
            isInteractive: isInteractive
        )
        warnOfOptionsWithoutEffect()
        if arguments.has("update") {
            try update(attributes, password, context)
        } else {
            try add(attributes, password, context)
        }
    }

    /// Whether there is a password that is not in hexadecimal digits.
    private var hasText: Bool { arguments.has("password") || arguments.has("legacy-password") }

    private var placeAttribute: CFString {
        switch passwordClass {
        case .generic: kSecAttrService
        case .internet: kSecAttrServer
        }
    }

    private func add(
        _ attributes: ItemDictionary,
        _ password: [UInt8]?,
        _ context: LAContext
    ) throws(Failure) {
        var item = attributes
        item[kSecUseAuthenticationContext] = context
        if item[kSecAttrLabel] == nil { item[kSecAttrLabel] = item[placeAttribute] }
        if passwordClass == .internet, item[kSecAttrAuthenticationType] == nil {
            item[kSecAttrAuthenticationType] = kSecAttrAuthenticationTypeDefault
        }
        item[kSecValueData] = NSData(data: Data(password ?? []))
        try KeychainCalls.add(
            item,
            step: passwordClass == .generic
                ? "SecKeychainItemCreateFromContent (<default>)"
                : "SecKeychainAddInternetPassword <NULL>"
        )
    }

    /// Changes the first item that agrees in every unique attribute given; adds one where there is none.
    private func update(
        _ attributes: ItemDictionary,
        _ password: [UInt8]?,
        _ context: LAContext
    ) throws(Failure) {
        var (query, changes) = (ItemDictionary(), ItemDictionary())
        for (attribute, value) in attributes.entries {
            if Self.identifying.contains(attribute) {
                query[attribute] = value
            } else {
                changes[attribute] = value
            }
        }
        if let password { changes[kSecValueData] = NSData(data: Data(password)) }
        query[kSecReturnPersistentRef] = kCFBooleanTrue
        query[kSecUseAuthenticationContext] = context
        // Between two calls another process may add the item, or delete it.
        for _ in 0..<Self.attempts {
            do throws(Failure) {
                guard let reference = try KeychainCalls.find(query) as? NSData else { return }
                return try KeychainCalls.update(reference, with: changes, context)
            } catch {
                guard case .status(errSecItemNotFound, _, _) = error else { throw error }
            }
            do throws(Failure) {
                return try add(attributes, password, context)
            } catch {
                guard case .status(errSecDuplicateItem, _, _) = error else { throw error }
            }
        }
        throw .status(errSecDuplicateItem, step: "SecKeychainItemModifyContent")
    }

    private static let attempts = 16

    /// The class and the unique attributes that options name.
    private static let identifying: Set<String> = Set(
        [
            kSecClass, kSecAttrAccount, kSecAttrService, kSecAttrServer, kSecAttrSecurityDomain, kSecAttrPath,
            kSecAttrPort, kSecAttrProtocol, kSecAttrAuthenticationType, kSecAttrAccessGroup,
            kSecAttrSynchronizable,
        ].map { $0 as String }
    )

    private static let passwords = ["password", "legacy-password", "hexadecimal-password"]

    private func password() throws(Failure) -> [UInt8]? {
        guard
            let occurrence = arguments.occurrences.last(where: {
                Self.passwords.contains($0.option.name)
            })
        else { return nil }
        guard let text = occurrence.value else {
            return try SecretInput.newPassword(isInteractive: isInteractive)
        }
        if !isInteractive { Warning.passwordInArguments.give() }
        guard occurrence.option.kind == .hexadecimal else { return Array(text.utf8) }
        guard let bytes = BlobText.bytes(hexadecimal: text) else {
            throw .usage("-X takes pairs of hexadecimal digits")
        }
        return bytes
    }

    private func warnOfOptionsWithoutEffect() {
        if arguments.has("any-application") || arguments.has("trusted-application") {
            Warning.applicationsWithoutEffect.give()
        }
    }
}
