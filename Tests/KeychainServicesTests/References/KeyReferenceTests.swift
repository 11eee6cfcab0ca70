// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct KeyReferenceTests {
    private let issued: IssuedIdentity
    private let publicKey: SecKey

    init() throws {
        issued = try CertificateAuthority().issue("canary key")
        publicKey = try #require(issued.publicKey)
    }

    private func reference(_ key: SecKey) -> Entries { [kSecValueRef as String: key] }

    private let every: Entries = [
        kSecClass as String: kSecClassKey, kSecMatchLimit as String: kSecMatchLimitAll,
        kSecReturnRef as String: true,
    ]

    private func keys() -> [SecKey] { find(every).result as? [SecKey] ?? [] }

    @Test func `a key added by reference is returned as an equal object`() throws {
        #expect(add(reference(issued.privateKey)).status == errSecSuccess)
        #expect(keys() == [issued.privateKey])
        let query: Entries = [kSecClass as String: kSecClassKey, kSecReturnData as String: true]
        #expect(find(query).result as? Data == issued.keyBytes)
    }

    @Test func `both keys of a pair are separate items`() throws {
        #expect(add(reference(issued.privateKey)).status == errSecSuccess)
        #expect(add(reference(publicKey)).status == errSecSuccess)
        #expect(Set(keys()) == [issued.privateKey, publicKey])
        for key in [issued.privateKey, publicKey] {
            let found = find(reference(key).adding([kSecReturnRef as String: true]))
            #expect(found.result as? SecKey == key)
        }
        #expect(SecItemDelete(reference(publicKey) as CFDictionary) == errSecSuccess)
        #expect(keys() == [issued.privateKey])
        #expect(find(reference(publicKey)).status == errSecItemNotFound)
    }

    @Test(
        arguments: [
            (kSecAttrKeyClass as String, 1), (kSecAttrKeyType as String, 73),
            (kSecAttrKeySizeInBits as String, 256), (kSecAttrEffectiveKeySize as String, 256),
            (kSecAttrIsPermanent as String, 1), (kSecAttrCanSign as String, 1),
            (kSecAttrCanVerify as String, 0),
            (kSecAttrCanEncrypt as String, 0), (kSecAttrCanDecrypt as String, 1),
            (kSecAttrCanDerive as String, 1),
            (kSecAttrCanWrap as String, 0), (kSecAttrCanUnwrap as String, 1),
        ] as [(String, Int)]
    )
    func `attributes derived from a key are stored`(name: String, value: Int) throws {
        let query = reference(issued.privateKey).adding([kSecReturnAttributes as String: true])
        let attributes = try #require(add(query).result as? [String: Any])
        #expect(attributes[name] as? Int == value)
        #expect(find(query).status == errSecSuccess)
    }

    @Test func `both keys have the digest of the public key as application label`() throws {
        let folder = try OpenSSLFolder()
        for pair in [try KeyPair.rsa(), try KeyPair.ellipticCurve(384)] {
            try folder.write(pair.public.bytes, to: "key")
            let digest = try folder.openssl("dgst -sha1 -binary key")
            for (key, half) in [(pair.private, 1), (pair.public, 0)] {
                let item = reference(key).adding([kSecReturnAttributes as String: true])
                for result in [add(item).result, find(item).result] {
                    let attributes = try #require(result as? [String: Any])
                    #expect(attributes[kSecAttrApplicationLabel as String] as? Data == digest)
                    #expect(attributes[kSecAttrKeyClass as String] as? Int == half)
                    // The item was added without label and tag: the label is absent, the tag empty.
                    #expect(attributes[kSecAttrLabel as String] == nil)
                    #expect(attributes[kSecAttrApplicationTag as String] as? String == "")
                }
            }
        }
    }

    @Test func `attributes in the dictionary override derived ones`() throws {
        let named: Entries = [
            kSecAttrLabel as String: "canary label", kSecAttrIsPermanent as String: false,
            kSecAttrApplicationLabel as String: Data("canary own label".utf8),
        ]
        let item = reference(issued.privateKey).adding(named).adding([kSecReturnAttributes as String: true])
        let attributes = try #require(add(item).result as? [String: Any])
        #expect(attributes[kSecAttrLabel as String] as? String == "canary label")
        #expect(attributes[kSecAttrIsPermanent as String] as? Int == 0)
        #expect(attributes[kSecAttrApplicationLabel as String] as? Data == Data("canary own label".utf8))
        #expect(find(reference(issued.privateKey)).status == errSecItemNotFound)
    }

    @Test func `the same key is a new item with another tag, and a duplicate with another label`() {
        let item = reference(issued.privateKey)
        #expect(add(item.adding([kSecAttrApplicationTag as String: "canary a"])).status == errSecSuccess)
        #expect(add(item.adding([kSecAttrApplicationTag as String: "canary b"])).status == errSecSuccess)
        let again = item.adding([
            kSecAttrApplicationTag as String: "canary b", kSecAttrLabel as String: "canary label",
        ])
        #expect(add(again).status == errSecDuplicateItem)
        #expect(keys().count == 2)
    }

    @Test func `a key is found after its permissions were changed`() {
        #expect(add(reference(issued.privateKey)).status == errSecSuccess)
        let changes: Entries = [kSecAttrCanSign as String: false, kSecAttrLabel as String: "canary label"]
        let query = reference(issued.privateKey) as CFDictionary
        #expect(SecItemUpdate(query, changes as CFDictionary) == errSecSuccess)
        let found = find(reference(issued.privateKey).adding([kSecReturnAttributes as String: true]))
        #expect((found.result as? [String: Any])?[kSecAttrCanSign as String] as? Int == 0)
    }

    @Test func `a key added as bytes gets no attributes, and no object without type and class`() throws {
        let bytes = try #require(issued.keyBytes)
        let raw: Entries = [kSecClass as String: kSecClassKey, kSecValueData as String: bytes]
        #expect(add(raw).status == errSecSuccess)
        #expect(keys().isEmpty)
        #expect(add(raw).status == errSecDuplicateItem)
        let typed = raw.adding([kSecAttrKeyType as String: "73", kSecAttrKeyClass as String: 1])
        #expect(add(typed).status == errSecSuccess)
        #expect(keys() == [issued.privateKey])
    }

    @Test(arguments: ["73", 73, 73.0] as [any Sendable])
    func `type and class are numbers or strings`(type: any Sendable) throws {
        #expect(add(reference(issued.privateKey)).status == errSecSuccess)
        let query: Entries = [
            kSecClass as String: kSecClassKey, kSecAttrKeyType as String: type,
            kSecAttrKeyClass as String: kSecAttrKeyClassPrivate, kSecReturnRef as String: true,
        ]
        #expect(find(query).result as? SecKey == issued.privateKey)
    }
}

@Suite(.searchedKeychain) struct ReferenceKindTests {
    private let issued: IssuedIdentity

    init() throws { issued = try CertificateAuthority().issue("canary kind") }

    @Test func `a class that contradicts the object returns errSecNoSuchAttr`() throws {
        let rows: [(CFString, AnyObject)] = [
            (kSecClassCertificate, issued.privateKey), (kSecClassKey, issued.certificate),
            (kSecClassGenericPassword, issued.certificate), (kSecClassIdentity, issued.privateKey),
        ]
        for (itemClass, object) in rows {
            let query: Entries = [kSecClass as String: itemClass, kSecValueRef as String: object]
            #expect(add(query).status == errSecNoSuchAttr)
            #expect(find(query).status == errSecNoSuchAttr)
            #expect(SecItemDelete(query as CFDictionary) == errSecNoSuchAttr)
        }
    }

    @Test(arguments: ["text", 1, Data(), NSNull(), [1], Date()] as [any Sendable])
    func `every call rejects objects of other classes under kSecValueRef`(object: any Sendable) {
        let query: Entries = [kSecClass as String: kSecClassKey, kSecValueRef as String: object]
        #expect(add(query).status == errSecParam)
        #expect(find(query).status == errSecParam)
        #expect(SecItemDelete(query as CFDictionary) == errSecParam)
        let values: Entries = [kSecValueRef as String: object]
        let plain: Entries = [kSecClass as String: kSecClassKey]
        #expect(SecItemUpdate(query as CFDictionary, [:] as CFDictionary) == errSecParam)
        #expect(SecItemUpdate(plain as CFDictionary, values as CFDictionary) == errSecParam)
    }

    @Test func `an update rejects kSecValueRef in the new values`() throws {
        let plain: Entries = [kSecClass as String: kSecClassKey]
        let objects: [AnyObject] = [issued.privateKey, issued.certificate, try #require(issued.identity)]
        for object in objects {
            let values: Entries = [kSecValueRef as String: object]
            #expect(SecItemUpdate(plain as CFDictionary, values as CFDictionary) == errSecNoSuchAttr)
        }
    }
}
