// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct IdentityReferenceTests {
    private let authority: CertificateAuthority
    private let first: IssuedIdentity
    private let second: IssuedIdentity

    init() throws {
        authority = try CertificateAuthority()
        first = try authority.issue("canary first")
        second = try authority.issue("canary second")
    }

    private func reference(_ issued: IssuedIdentity) throws -> Entries {
        [kSecValueRef as String: try #require(issued.identity)]
    }

    private let identities: Entries = [kSecClass as String: kSecClassIdentity]

    private func count(_ itemClass: CFString) -> Int {
        let query: Entries = [
            kSecClass as String: itemClass, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnPersistentRef as String: true,
        ]
        return (find(query).result as? [Data])?.count ?? 0
    }

    @Test func `an identity is created from matching parts and returns them`() throws {
        let identity = try #require(SecIdentityCreate(nil, first.certificate, first.privateKey))
        var certificate: SecCertificate?
        var key: SecKey?
        #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        #expect(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        #expect(certificate == first.certificate)
        #expect(key == first.privateKey)
        #expect(identity == SecIdentityCreate(nil, first.certificate, first.privateKey))
        #expect(identity != second.identity)
        #expect(SecIdentityCreate(nil, first.certificate, second.privateKey) == nil)
        #expect(SecIdentityCreate(nil, first.certificate, try #require(first.publicKey)) == nil)
    }

    @Test func `SecIdentityCreateWithCertificate finds the private key in the keychain`() throws {
        var identity: SecIdentity?
        func find(_ issued: IssuedIdentity, in keychains: CFTypeRef? = nil) -> OSStatus {
            SecIdentityCreateWithCertificate(keychains, issued.certificate, &identity)
        }
        #expect(find(first) == errSecItemNotFound)
        let key: Entries = [kSecValueRef as String: first.privateKey]
        #expect(add(key).status == errSecSuccess)
        #expect(find(second) == errSecItemNotFound)
        #expect(identity == nil)
        #expect(find(first, in: NSArray()) == errSecParam)
        #expect(find(first) == errSecSuccess)
        #expect(identity == first.identity)
        #expect(SecIdentityCreateWithCertificate(nil, first.certificate, nil) == errSecSuccess)
        // None of the calls added the certificate.
        #expect(count(kSecClassCertificate) == 0)
        #expect(SecItemDelete(key as NSDictionary) == errSecSuccess)
        #expect(find(first) == errSecItemNotFound)
        let synchronizable = key.adding([kSecAttrSynchronizable as String: true])
        #expect(add(synchronizable).status == errSecSuccess)
        #expect(find(first) == errSecSuccess)
    }

    @Test func `adding an identity adds both parts and returns only its persistent reference`() throws {
        let more: Entries = [
            kSecReturnPersistentRef as String: true, kSecReturnRef as String: true,
            kSecReturnAttributes as String: true, kSecAttrLabel as String: "canary both",
        ]
        let added = add(try reference(first).adding(more))
        let persistent = try #require(added.result as? Data)
        #expect(persistent.prefix(4) == Data("idnt".utf8))
        for itemClass in [kSecClassCertificate, kSecClassKey, kSecClassIdentity] {
            #expect(count(itemClass) == 1)
            let query: Entries = [kSecClass as String: itemClass, kSecReturnAttributes as String: true]
            let attributes = find(query).result as? [String: Any]
            #expect(attributes?[kSecAttrLabel as String] as? String == "canary both")
        }
        let query: Entries = [kSecValuePersistentRef as String: persistent, kSecReturnRef as String: true]
        #expect(find(query).result as? SecIdentity == first.identity)
        #expect(add(try reference(first)).status == errSecDuplicateItem)
    }

    @Test func `adding the missing part completes an identity`() throws {
        let certificate: Entries = [kSecValueRef as String: first.certificate]
        #expect(add(certificate).status == errSecSuccess)
        #expect(count(kSecClassIdentity) == 0)
        #expect(add(try reference(first)).status == errSecSuccess)
        #expect(count(kSecClassIdentity) == 1)
        #expect(count(kSecClassCertificate) == 1)
    }

    @Test func `a stored public key forms no identity`() throws {
        let items: [AnyObject] = [try #require(first.publicKey), first.certificate]
        for item in items { #expect(add([kSecValueRef as String: item]).status == errSecSuccess) }
        #expect(find(identities).status == errSecItemNotFound)
        #expect(add([kSecValueRef as String: first.privateKey]).status == errSecSuccess)
        let query = identities.adding([kSecReturnRef as String: true])
        #expect(find(query).result as? SecIdentity == first.identity)
        #expect(count(kSecClassIdentity) == 1)
    }

    @Test func `a search by identity requires both parts to be stored`() throws {
        for half in [first.certificate, first.privateKey] as [AnyObject] {
            #expect(add(try reference(first)).status == errSecSuccess)
            let query: Entries = [kSecValueRef as String: half]
            #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
            #expect(find(try reference(first)).status == errSecItemNotFound)
        }
    }

    @Test func `a search by identity returns a persistent reference if both parts exist`() throws {
        #expect(find(try reference(first)).status == errSecItemNotFound)
        #expect(add(try reference(first)).status == errSecSuccess)
        #expect(add(try reference(second)).status == errSecSuccess)
        let query = try reference(first).adding([
            kSecReturnPersistentRef as String: true, kSecReturnData as String: true,
        ])
        let persistent = try #require(find(query).result as? Data)
        let back: Entries = [kSecValuePersistentRef as String: persistent, kSecReturnRef as String: true]
        #expect(find(back).result as? SecIdentity == first.identity)
        #expect(SecItemDelete([kSecValueRef as String: first.privateKey] as CFDictionary) == errSecSuccess)
        #expect(find(try reference(first)).status == errSecItemNotFound)
    }

    @Test func `an identity is found by the label and the issuer of its certificate`() throws {
        for issued in [first, second] { #expect(add(try reference(issued)).status == errSecSuccess) }
        let reference = identities.adding([kSecReturnRef as String: true])
        let label: Entries = [kSecAttrLabel as String: "canary second"]
        #expect(find(reference.adding(label)).result as? SecIdentity == second.identity)
        let issuer = try #require(SecCertificateCopyNormalizedSubjectSequence(first.certificate) as Data?)
        for key in [kSecAttrIssuer, kSecMatchIssuers] {
            let value: Any = key == kSecAttrIssuer ? issuer : [issuer]
            #expect(find(reference.adding([key as String: value])).result as? SecIdentity == first.identity)
        }
        let data = identities.adding([kSecReturnData as String: true]).adding(label)
        #expect(find(data).result as? Data == second.keyBytes)
    }

    @Test func `deleting an identity keeps a key that another certificate needs`() throws {
        let renewed = try authority.issue("canary renewed", keyOf: "canary first")
        for issued in [first, renewed, second] { #expect(add(try reference(issued)).status == errSecSuccess) }
        #expect(count(kSecClassKey) == 2)
        #expect(SecItemDelete(try reference(first) as CFDictionary) == errSecSuccess)
        #expect(count(kSecClassKey) == 2)
        #expect(count(kSecClassIdentity) == 2)
        #expect(SecItemDelete(try reference(renewed) as CFDictionary) == errSecSuccess)
        #expect(count(kSecClassKey) == 1)
        #expect(SecItemDelete(try reference(first) as CFDictionary) == errSecItemNotFound)
    }

    @Test(arguments: [true, false])
    func `deleting by persistent reference deletes both parts`(namingTheClass: Bool) throws {
        let added = add(try reference(first).adding([kSecReturnPersistentRef as String: true]))
        #expect(add(try reference(second)).status == errSecSuccess)
        let persistent: Entries = [kSecValuePersistentRef as String: try #require(added.result as? Data)]
        let query = namingTheClass ? identities.adding(persistent) : persistent
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
        #expect(SecItemDelete(query as CFDictionary) == errSecItemNotFound)
        #expect(find(try reference(second)).status == errSecSuccess)
        #expect(count(kSecClassKey) == 1)
    }

    @Test func `deleting the identity class also deletes certificates and keys that form no identity`() throws
    {
        #expect(add(try reference(first)).status == errSecSuccess)
        let items: [AnyObject] = [second.certificate, try #require(second.publicKey)]
        for item in items { #expect(add([kSecValueRef as String: item]).status == errSecSuccess) }
        #expect(SecItemDelete(identities as CFDictionary) == errSecSuccess)
        #expect(count(kSecClassKey) + count(kSecClassCertificate) == 0)
    }

    @Test func `an attribute that only one part has can neither update nor delete identities`() throws {
        #expect(add(try reference(first)).status == errSecSuccess)
        let foreign: [Entries] = [
            [kSecAttrApplicationTag as String: "canary tag"], [kSecAttrSerialNumber as String: Data([1])],
        ]
        for attributes in foreign {
            #expect(SecItemDelete(identities.adding(attributes) as CFDictionary) == errSecNoSuchAttr)
            let status = SecItemUpdate(identities as CFDictionary, attributes as CFDictionary)
            #expect(status == errSecNoSuchAttr)
        }
        #expect(count(kSecClassIdentity) == 1)
    }

    @Test func `an update by class or by identity object changes both parts`() throws {
        for issued in [first, second] { #expect(add(try reference(issued)).status == errSecSuccess) }
        let byReference: Entries = [kSecAttrLabel as String: "canary changed"]
        let query = try reference(first) as CFDictionary
        #expect(SecItemUpdate(query, byReference as CFDictionary) == errSecSuccess)
        for itemClass in [kSecClassCertificate, kSecClassKey] {
            let changed: Entries = [kSecClass as String: itemClass].adding(byReference)
            #expect(
                find(changed.adding([kSecMatchLimit as String: kSecMatchLimitAll])).status == errSecSuccess
            )
        }
        let all: Entries = [kSecAttrLabel as String: "canary all"]
        #expect(SecItemUpdate(identities as CFDictionary, all as CFDictionary) == errSecSuccess)
        let found = find(
            identities.adding(all).adding([
                kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnPersistentRef as String: true,
            ])
        )
        #expect((found.result as? [Data])?.count == 2)
    }

    @Test func `an update of identities must match a certificate and a key`() throws {
        let changes: Entries = [kSecAttrLabel as String: "canary changed"]
        func changed(_ itemClass: CFString) -> OSStatus {
            find([kSecClass as String: itemClass].adding(changes)).status
        }
        for half in [first.certificate, first.privateKey] as [AnyObject] {
            #expect(add([kSecValueRef as String: half]).status == errSecSuccess)
            for query in [identities, try reference(second)] {
                let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
                // In the second round the key of the first identity is stored, too, so the identity is
                // complete; the second identity is never stored.
                let isWhole = half === first.privateKey && query[kSecValueRef as String] == nil
                #expect(status == (isWhole ? errSecSuccess : errSecItemNotFound))
            }
            let expected = half === first.privateKey ? errSecSuccess : errSecItemNotFound
            for itemClass in [kSecClassCertificate, kSecClassKey] { #expect(changed(itemClass) == expected) }
        }
        // Updating all identities also updates a key that belongs to none.
        #expect(add([kSecValueRef as String: second.privateKey]).status == errSecSuccess)
        let all: Entries = [kSecAttrLabel as String: "canary all"]
        #expect(SecItemUpdate(identities as CFDictionary, all as CFDictionary) == errSecSuccess)
        let keys: Entries = [
            kSecClass as String: kSecClassKey, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnPersistentRef as String: true,
        ]
        #expect((find(keys.adding(all)).result as? [Data])?.count == 2)
    }

    @Test func `adding an identity by data is unsupported`() {
        #expect(add(identities.adding([kSecValueData as String: Data([1])])).status == errSecUnimplemented)
    }
}
