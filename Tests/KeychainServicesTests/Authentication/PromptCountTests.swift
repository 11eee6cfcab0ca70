// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct PromptCountTests {
    private let stored = StoredPassword()

    static func control(
        _ flags: SecAccessControlCreateFlags,
        _ protection: CFString = kSecAttrAccessibleWhenUnlocked
    ) -> Any {
        SecAccessControlCreateWithFlags(nil, protection, flags, nil) as Any
    }

    struct Call: Sendable {
        enum Kind: Sendable { case add, copy, update, delete }

        let name: String
        let kind: Kind
        let entries: @Sendable () -> Entries
        let status: OSStatus
        let prompts: Int

        init(
            _ name: String,
            _ kind: Kind,
            _ status: OSStatus,
            prompts: Int,
            _ entries: @escaping @Sendable @autoclosure () -> Entries = [:]
        ) {
            (self.name, self.kind, self.entries, self.status, self.prompts) = (
                name, kind, entries, status, prompts
            )
        }

        // swift-format-ignore
        static let table: [Self] = [
            .init("add again",           .add,    -25299, prompts: 0),
            .init("existence",           .copy,        0, prompts: 1),
            .init("data",                .copy,        0, prompts: 1, [kSecReturnData: true]),
            .init("attributes",          .copy,        0, prompts: 1, [kSecReturnAttributes: true]),
            .init("reference",           .copy,        0, prompts: 1, [kSecReturnPersistentRef: true]),
            .init("all of one",          .copy,        0, prompts: 1, [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]),
            .init("data, allowed",       .copy,        0, prompts: 1, [kSecReturnData: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIAllow]),
            .init("data, fail",          .copy,   -25308, prompts: 0, [kSecReturnData: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]),
            .init("existence, fail",     .copy,   -25308, prompts: 0, [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]),
            .init("attributes, fail",    .copy,   -25308, prompts: 0, [kSecReturnAttributes: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]),
            .init("no interface",        .copy,   -25308, prompts: 0, [kSecReturnData: true, kSecUseNoAuthenticationUI: true]),
            .init("skip",                .copy,   -25300, prompts: 0, [kSecReturnData: true, kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]),
            .init("skip all",            .copy,   -25300, prompts: 0, [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll, kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]),
            .init("update",              .update,      0, prompts: 1),
            .init("update, fail",        .update, -25308, prompts: 0, [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]),
            .init("update, skip",        .update,    -50, prompts: 0, [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]),
            .init("delete",              .delete,      0, prompts: 0),
            .init("delete, fail",        .delete,      0, prompts: 0, [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]),
            .init("delete, skip",        .delete,    -50, prompts: 0, [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]),
            .init("add, skip",           .add,       -50, prompts: 0, [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]),
        ]
    }

    @Test(arguments: Call.table)
    func `each call prompts as often as documented`(call: Call) throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry([.passcode(SearchedKeychain.passcode)])
        try pinentry.answering {
            #expect(stored.add([kSecAttrAccessControl: Self.control(.userPresence)]) == errSecSuccess)
            #expect(pinentry.prompts == 0)
            let query = stored.query.adding(call.entries())
            let status =
                switch call.kind {
                case .add:
                    stored.add(
                        [kSecAttrAccessControl: Self.control(.userPresence)].merging(call.entries()) { $1 }
                    )
                case .copy: find(query).status
                case .update:
                    SecItemUpdate(query as CFDictionary, [kSecValueData: Data("new".utf8)] as CFDictionary)
                case .delete: SecItemDelete(query as CFDictionary)
                }
            #expect(status == call.status, "\(call.name)")
            #expect(pinentry.prompts == call.prompts, "\(call.name)")
            _ = try #require(pinentry.commands.isEmpty == (call.prompts == 0))
        }
    }

    @Test func `reading returns the secret and the access control after a prompt`() throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry([.passcode(SearchedKeychain.passcode)])
        try pinentry.answering {
            let control = Self.control(.userPresence)
            #expect(stored.add([kSecAttrAccessControl: control]) == errSecSuccess)
            let found = find(
                stored.query.adding([
                    kSecReturnData: true, kSecReturnAttributes: true,
                    kSecUseOperationPrompt: "to read 100% of it",
                ])
            )
            let result = try #require(found.result as? [String: Any])
            #expect(result[kSecValueData as String] as? Data == stored.secret)
            #expect(
                result[kSecAttrAccessControl as String] as? SecAccessControl == control as? SecAccessControl
            )
            let description = try #require(pinentry.commands.first { $0.hasPrefix("SETDESC ") })
            #expect(description.hasSuffix("to read 100%25 of it"))
            #expect(pinentry.commands.contains("OPTION no-grab"))
        }
    }
}
