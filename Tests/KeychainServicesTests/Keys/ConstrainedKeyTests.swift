// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Using keys that were generated with an access control.
@Suite(.searchedKeychain) struct ConstrainedKeyTests {
    private let tag = Data(Canary.make("tag").utf8)
    private let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
    private let message = Data("message".utf8) as CFData

    private var item: Entries { [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag] }
    private var query: Entries { item.adding([kSecReturnRef: true]) }

    private func parameters(_ flags: SecAccessControlCreateFlags) throws -> Entries {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, nil)
        )
        return [
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag, kSecAttrAccessControl: control,
            ] as [CFString: Any]
        ]
    }

    private func isSigned(by key: SecKey, of pair: KeyPair) throws -> Bool {
        let signature = try failing { SecKeyCreateSignature(key, algorithm, message, $0) }
        return SecKeyVerifySignature(pair.public, algorithm, message, signature, nil)
    }

    @Test(arguments: [
        SecAccessControlCreateFlags.userPresence, .devicePasscode, [.privateKeyUsage, .userPresence],
    ])
    func `a key with an access control is stored without a prompt and read with one`(
        flags: SecAccessControlCreateFlags
    ) throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry([.passcode(SearchedKeychain.passcode)])
        try pinentry.answering {
            let pair = try KeyPair.ellipticCurve(256, parameters(flags))
            #expect(try isSigned(by: pair.private, of: pair))
            let refusal = find(query.adding([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]))
            #expect(refusal.status == errSecInteractionNotAllowed)
            #expect(pinentry.prompts == 0)
            let found = find(query.adding([kSecReturnAttributes: true])).result as? [String: Any]
            #expect(pinentry.prompts == 1)
            let control = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                flags,
                nil
            )
            #expect(found?[kSecAttrAccessControl as String] as? SecAccessControl == control)
            let key = try #require(found?[kSecValueRef as String] as? SecKey)
            #expect(key == pair.private)
            #expect(try isSigned(by: key, of: pair))
            #expect(try isSigned(by: key, of: pair))
            #expect(SecItemDelete(item as CFDictionary) == errSecSuccess)
            #expect(find(query).status == errSecItemNotFound)
            #expect(pinentry.prompts == 1)
        }
    }

    @Test func `privateKeyUsage alone does not prompt`() throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry()
        try pinentry.answering {
            let pair = try KeyPair.ellipticCurve(256, parameters(.privateKeyUsage))
            #expect(find(query).result as? SecKey == pair.private)
            #expect(pinentry.prompts == 0)
        }
    }

    @Test func `generating a key that requires authentication fails without a passcode`() throws {
        let parameters: Entries = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
        ]
        .adding(try self.parameters(.userPresence))
        #expect(try status { SecKeyCreateRandomKey(parameters as CFDictionary, $0) } == errSecAuthFailed)
        #expect(find(query).status == errSecItemNotFound)
    }
}
