// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Checks the table of prompts in the DocC article `Prompts.md` against the calls' behaviour.
@Suite(.searchedKeychain) struct PromptTableTests {
    private static let page = URL(filePath: #filePath)
        .appending(path: "../../../../Sources/KeychainServices/KeychainServices.docc/Prompts.md")
        .standardizedFileURL

    enum Kind: String, CaseIterable, Sendable {
        case genericPassword, internetPassword, key, certificate
        /// An identity whose certificate and key both require authentication of the user.
        case identity
        /// An identity of which only the key requires authentication of the user.
        case identityOfConstrainedKey

        var itemClass: CFString {
            switch self {
            case .genericPassword: kSecClassGenericPassword
            case .internetPassword: kSecClassInternetPassword
            case .key: kSecClassKey
            case .certificate: kSecClassCertificate
            case .identity, .identityOfConstrainedKey: kSecClassIdentity
            }
        }

        /// Returns the dictionaries that add one item; `number` makes the item unique.
        func additions(_ number: Int, _ authority: CertificateAuthority) throws -> [Entries] {
            let control: Entries = [kSecAttrAccessControl: PromptCountTests.control(.userPresence)]
            func reference(_ object: AnyObject) -> Entries { [kSecValueRef: object] }
            switch self {
            case .genericPassword, .internetPassword:
                let secret = Data(Canary.make("secret").utf8)
                return [
                    control.adding([
                        kSecClass: itemClass, kSecAttrAccount: "canary \(number)", kSecValueData: secret,
                    ])
                ]
            case .key: return [try control.adding(reference(KeyPair.ellipticCurve().private))]
            case .certificate, .identity, .identityOfConstrainedKey:
                let issued = try authority.issue("canary \(number)")
                if self == .certificate { return [control.adding(reference(issued.certificate))] }
                if self == .identity { return [try control.adding(reference(#require(issued.identity)))] }
                return [reference(issued.certificate), control.adding(reference(issued.privateKey))]
            }
        }
    }

    struct Operation: Sendable, CustomTestStringConvertible {
        /// The name of the operation in the table of the article.
        let text: String
        let prompts: Int
        var kinds = Kind.allCases
        var items = 1
        /// Performs the operation; receives a query for the item class and the dictionaries that added the
        /// items.
        let run: @Sendable (Entries, [Entries]) throws -> OSStatus

        var testDescription: String { text }

        private static func copy(_ more: [CFString]) -> @Sendable (Entries, [Entries]) -> OSStatus {
            let names = more.map { $0 as String }
            return { query, _ in find(names.reduce(into: query) { $0[$1] = true }).status }
        }

        private static func addAgain(_ query: Entries, _ additions: [Entries]) -> OSStatus {
            let statuses = additions.map { SecItemAdd($0 as CFDictionary, nil) }
            return statuses.allSatisfy { $0 == errSecDuplicateItem } ? errSecSuccess : statuses[0]
        }

        private static func all(_ query: Entries) -> Entries {
            query.adding([kSecMatchLimit: kSecMatchLimitAll])
        }

        static let table: [Self] = [
            Self(text: "add", prompts: 0) { _, _ in errSecSuccess },
            Self(
                text: "add an existing item",
                prompts: 0,
                kinds: Kind.allCases.filter { $0 != .identity },
                run: addAgain
            ),
            Self(text: "add an existing identity", prompts: 0, kinds: [.identity], run: addAgain),
            Self(text: "find: whether it exists", prompts: 1, run: copy([])),
            Self(text: "find: attributes", prompts: 1, run: copy([kSecReturnAttributes])),
            Self(text: "find: data", prompts: 1, run: copy([kSecReturnData])),
            Self(text: "find: reference", prompts: 1, run: copy([kSecReturnRef])),
            Self(text: "find: persistent reference", prompts: 1, run: copy([kSecReturnPersistentRef])),
            Self(
                text: "find: several return keys",
                prompts: 1,
                run: copy([kSecReturnData, kSecReturnRef, kSecReturnAttributes])
            ),
            Self(text: "find all, of several items", prompts: 1, items: 3) { query, _ in
                let found = find(all(query).adding([kSecReturnAttributes: true, kSecReturnRef: true]))
                return (found.result as? [Any])?.count == 3 ? found.status : errSecItemNotFound
            },
            Self(text: "update one or several", prompts: 1, items: 2) { query, _ in
                SecItemUpdate(query as CFDictionary, [kSecAttrLabel: "canary new"] as CFDictionary)
            },
            Self(text: "delete one or several", prompts: 0, items: 2) { query, _ in
                SecItemDelete(query as CFDictionary)
            },
            Self(
                text: "sign, decrypt, compute a shared secret or export, with a key that was found",
                prompts: 1,
                kinds: [.key, .identity, .identityOfConstrainedKey]
            ) { query, _ in
                let found = try #require(find(query.adding([kSecReturnRef: true])).result)
                let key = try (found as? SecKey) ?? Self.privateKey(of: #require(found as? SecIdentity))
                for _ in 0..<2 {
                    _ = try failing {
                        SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data() as CFData, $0)
                    }
                }
                return SecKeyCopyExternalRepresentation(key, nil) == nil ? errSecParam : errSecSuccess
            },
        ]

        private static func privateKey(of identity: SecIdentity) throws -> SecKey {
            var key: SecKey?
            #expect(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
            return try #require(key)
        }
    }

    @Test(arguments: Operation.table, Kind.allCases)
    func `each operation prompts as often as the article says`(operation: Operation, kind: Kind) throws {
        guard operation.kinds.contains(kind) else { return }
        try SearchedKeychain.setPasscode()
        let authority = try CertificateAuthority()
        let pinentry = try ScriptedPinentry([.passcode(SearchedKeychain.passcode)])
        try pinentry.answering {
            let additions = try (1...operation.items).flatMap { try kind.additions($0, authority) }
            for addition in additions { #expect(SecItemAdd(addition as CFDictionary, nil) == errSecSuccess) }
            #expect(pinentry.prompts == 0)
            #expect(try operation.run([kSecClass: kind.itemClass], additions) == errSecSuccess)
            #expect(pinentry.prompts == operation.prompts)
        }
    }

    @Test func `the table in the article contains exactly the tested operations`() throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.prefix(2)
        }
        #expect(rows.map { Array($0) } == Operation.table.map { [$0.text, "\($0.prompts)"] })
    }
}
