// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `add-generic-password` and `add-internet-password`.
struct AddPassword {
    let passwordClass: PasswordClass
    let arguments: ScannedArguments
    let isInteractive: Bool

    func run() throws(Failure) {
        let attributes = try arguments.dictionary(for: passwordClass)
        guard attributes[kSecAttrAccount] != nil, attributes[placeAttribute] != nil else {
            throw .usage("an account and a \(passwordClass == .generic ? "service" : "server") are required")
        }
        try Keychain.check(operands: arguments.operands)
        let password = try password()
        warnOfOptionsWithoutEffect()
        if arguments.has("update") {
            try update(attributes, password)
        } else {
            try add(attributes, password)
        }
    }

    private var placeAttribute: CFString {
        switch passwordClass {
        case .generic: kSecAttrService
        case .internet: kSecAttrServer
        }
    }

    private func add(_ attributes: ItemDictionary, _ password: [UInt8]?) throws(Failure) {
        var item = attributes
        if item[kSecAttrLabel] == nil { item[kSecAttrLabel] = item[placeAttribute] }
        if passwordClass == .internet, item[kSecAttrAuthenticationType] == nil {
            item[kSecAttrAuthenticationType] = kSecAttrAuthenticationTypeDefault
        }
        item[kSecValueData] = NSData(data: Data(password ?? []))
        try Keychain.add(
            item,
            step: passwordClass == .generic
                ? "SecKeychainItemCreateFromContent (<default>)"
                : "SecKeychainAddInternetPassword <NULL>"
        )
    }

    /// Changes the first item that agrees in every unique attribute given; adds one where there is none.
    private func update(_ attributes: ItemDictionary, _ password: [UInt8]?) throws(Failure) {
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
        // Between two calls another process may add the item, or delete it.
        for _ in 0..<Self.attempts {
            do throws(Failure) {
                guard let reference = try Keychain.find(query) as? NSData else { return }
                return try Keychain.update(reference, with: changes)
            } catch {
                guard case .status(errSecItemNotFound, _) = error else { throw error }
            }
            do throws(Failure) {
                return try add(attributes, password)
            } catch {
                guard case .status(errSecDuplicateItem, _) = error else { throw error }
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

    private func password() throws(Failure) -> [UInt8]? {
        guard
            let occurrence = arguments.occurrences.last(where: {
                $0.option.kind == .secret || $0.option.kind == .hexadecimal
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
