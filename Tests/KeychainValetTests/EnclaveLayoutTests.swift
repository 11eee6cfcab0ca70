// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainServices
import KeychainTesting
import Testing
import Valet

/// The stored items of Secure Enclave valets with a shared group, and reading items of earlier versions.
@Suite(.ownKeychain) struct EnclaveLayoutTests {
    struct Place: Sendable, CustomTestStringConvertible {
        let kind: String
        let identifier: String?

        var testDescription: String { "\(kind), \(identifier ?? "no identifier")" }

        var service: String {
            let names = ["shared", identifier].compactMap { $0 }.joined(separator: "_")
            return "VAL_\(kind)_initWithSharedAccessGroupIdentifier:accessibility:_\(names)"
                + "_AccessibleWhenPasscodeSetThisDeviceOnly"
        }

        private var isSingle: Bool { kind == "VALSinglePromptSecureEnclaveValet" }

        private var single: SinglePromptSecureEnclaveValet {
            get throws {
                .sharedGroupValet(
                    with: try .team(),
                    identifier: try identifier.map { try .named($0) },
                    accessControl: .userPresence
                )
            }
        }

        private var enclave: SecureEnclaveValet {
            get throws {
                .sharedGroupValet(
                    with: try .team(),
                    identifier: try identifier.map { try .named($0) },
                    accessControl: .userPresence
                )
            }
        }

        func write(_ text: String, forKey key: String) throws {
            isSingle
                ? try single.setString(text, forKey: key) : try enclave.setString(text, forKey: key)
        }

        func read(_ key: String) throws -> String {
            isSingle
                ? try single.string(forKey: key, withPrompt: "canary")
                : try enclave.string(forKey: key, withPrompt: "canary")
        }

        static let table = ["VALSecureEnclaveValet", "VALSinglePromptSecureEnclaveValet"].flatMap { kind in
            [nil, "canary"].map { Self(kind: kind, identifier: $0) }
        }
    }

    private let control: SecAccessControl

    init() throws {
        let keychain = try TemporaryKeychain.current
        try keychain.setPasscode("canary passcode")
        keychain.answerPrompts(with: .passcode)
        control = try #require(
            SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                .userPresence,
                nil
            )
        )
    }

    @Test(arguments: Place.table)
    func `an item in a shared group has its service, group and access control`(place: Place) throws {
        try place.write("canary value", forKey: "key")
        let stored = try RawItem(service: place.service, account: "key").stored()
        #expect(stored[kSecAttrAccessControl as String] as? SecAccessControl == control)
        #expect(stored[kSecAttrAccessible as String] as? String == "akpu")
        #expect(stored[kSecAttrAccessGroup as String] as? String == "TEAM.shared")
        #expect((stored[kSecAttrSynchronizable as String] as? NSNumber)?.boolValue == false)
        #expect(stored[kSecValueData as String] as? Data == Data("canary value".utf8))
    }

    @Test(arguments: Place.table)
    func `items of other programs in a shared group are read`(place: Place) throws {
        let more: [String: Any] = [
            kSecAttrAccessControl as String: control, kSecAttrAccessGroup as String: "TEAM.shared",
        ]
        try RawItem(service: place.service, account: "key", more: more).add()
        #expect(try place.read("key") == "canary value")
    }
}
#endif
