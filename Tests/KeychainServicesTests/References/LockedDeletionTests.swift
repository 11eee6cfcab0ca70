// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import KeychainTesting
import Testing

/// Deleting keys, certificates and identities while they are locked.
@Suite(.searchedKeychain) struct LockedDeletionTests {
    private let issued: IssuedIdentity
    private let tag = Data("canary tag".utf8)

    init() throws {
        issued = try SharedIdentities.both.get()[0]
        try SearchedKeychain.setPasscode()
    }

    private func reference(_ object: AnyObject?) throws -> Entries {
        [kSecValueRef as String: try #require(object)]
    }

    private func delete(_ query: Entries) -> OSStatus { SecItemDelete(query as CFDictionary) }

    private func count(_ itemClass: CFString) throws -> Int {
        try TemporaryKeychain.current.unlock()
        let query: Entries = [
            kSecClass as String: itemClass, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnPersistentRef as String: true,
        ]
        return (find(query).result as? [Data])?.count ?? 0
    }

    private var label: Data {
        get throws {
            let attributes = SecKeyCopyAttributes(issued.privateKey)
            return try #require(attributes?[kSecAttrApplicationLabel] as? Data)
        }
    }

    @Test func `a locked key is deleted by its object without the other key of its pair`() throws {
        for key in [issued.privateKey, try #require(issued.publicKey)] {
            #expect(add(try reference(key)).status == errSecSuccess)
        }
        try SearchedKeychain.lock()
        #expect(delete(try reference(issued.privateKey)) == errSecSuccess)
        #expect(delete(try reference(issued.privateKey)) == errSecItemNotFound)
        #expect(try count(kSecClassKey) == 1)
        #expect(find(try reference(issued.publicKey)).status == errSecSuccess)
    }

    @Test func `locked keys are deleted by application label and key class`() throws {
        #expect(add(try reference(issued.privateKey)).status == errSecSuccess)
        try SearchedKeychain.lock()
        var query: Entries = [
            kSecClass as String: kSecClassKey, kSecAttrApplicationLabel as String: try label,
            kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
        ]
        #expect(delete(query) == errSecItemNotFound)
        query[kSecAttrKeyClass as String] = kSecAttrKeyClassPrivate
        #expect(delete(query) == errSecSuccess)
        #expect(try count(kSecClassKey) == 0)
    }

    enum Filter: CaseIterable { case tagAndType, reference, referenceAndTag }

    @Test(arguments: Filter.allCases)
    func `a locked key with a tag is deleted by its primary key or reference`(filter: Filter) throws {
        let named: Entries = [kSecAttrApplicationTag as String: tag]
        #expect(add(try reference(issued.privateKey).adding(named)).status == errSecSuccess)
        try SearchedKeychain.lock()
        let other: Entries = [kSecAttrApplicationTag as String: Data("canary other".utf8)]
        #expect(delete(try reference(issued.privateKey).adding(other)) == errSecItemNotFound)
        #expect(try count(kSecClassKey) == 1)
        try SearchedKeychain.lock()
        let typed: Entries = [
            kSecClass as String: kSecClassKey, kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
        ]
        let query =
            switch filter {
            case .tagAndType: named.adding(typed)
            case .reference: try reference(issued.privateKey)
            case .referenceAndTag: try reference(issued.privateKey).adding(named)
            }
        #expect(delete(query) == errSecSuccess)
        #expect(try count(kSecClassKey) == 0)
    }

    @Test func `a locked key is not deleted by an attribute whose digest is not stored`() throws {
        let named: Entries = [kSecAttrApplicationTag as String: tag]
        #expect(add(try reference(issued.privateKey).adding(named)).status == errSecSuccess)
        try SearchedKeychain.lock()
        let query = named.adding([
            kSecClass as String: kSecClassKey, kSecAttrCanSign as String: kCFBooleanTrue as Any,
        ])
        #expect(delete(query) == errSecInteractionNotAllowed)
        #expect(try count(kSecClassKey) == 1)
    }

    @Test func `a locked key added as data is deleted by tag and type`() throws {
        let query: Entries = [
            kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag,
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
        ]
        #expect(add(query.adding([kSecValueData as String: Data("canary".utf8)])).status == errSecSuccess)
        try SearchedKeychain.lock()
        let other = query.adding([kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom])
        #expect(delete(other) != errSecSuccess)
        #expect(delete(query) == errSecSuccess)
        #expect(try count(kSecClassKey) == 0)
    }

    @Test func `a locked certificate is deleted by its object`() throws {
        #expect(add(try reference(issued.certificate)).status == errSecSuccess)
        try SearchedKeychain.lock()
        #expect(delete(try reference(issued.certificate)) == errSecSuccess)
        #expect(try count(kSecClassCertificate) == 0)
    }

    @Test func `a locked identity is deleted by its object`() throws {
        #expect(add(try reference(issued.identity)).status == errSecSuccess)
        try SearchedKeychain.lock()
        #expect(delete(try reference(issued.identity)) == errSecSuccess)
        #expect(try count(kSecClassCertificate) == 0)
        #expect(try count(kSecClassKey) == 0)
    }

    @Test func `deleting an identity whose key requires authentication does not prompt`() throws {
        let pinentry = try ScriptedPinentry()
        try pinentry.answering {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
            )
            let key = try reference(issued.privateKey)
            for byReference in [false, true] {
                #expect(add(key.adding([kSecAttrAccessControl as String: control])).status == errSecSuccess)
                let certificate = try reference(issued.certificate)
                let added = add(certificate.adding([kSecReturnPersistentRef as String: true]))
                let persistent = try #require(added.result as? Data)
                let identity = Data("idnt".utf8) + persistent.dropFirst(4)
                let query: Entries =
                    byReference
                    ? [kSecClass as String: kSecClassIdentity, kSecValuePersistentRef as String: identity]
                    : try reference(issued.identity)
                #expect(delete(query) == errSecSuccess)
                #expect(try count(kSecClassCertificate) == 0)
                #expect(find([kSecClass as String: kSecClassKey]).status == errSecItemNotFound)
            }
            #expect(pinentry.prompts == 0)
        }
    }
}
