// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Typical calls of the keychain in programs for Apple's platforms, compiled and run unchanged.
@Suite(.searchedKeychain) struct IdiomTests {
    private let account = Canary.make("account")
    private let server = Canary.make("server")
    private let password = Data(Canary.make("password").utf8)

    private func addInternetPassword() {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrAccount as String: account,
            kSecAttrServer as String: server,
            kSecValueData as String: password,
        ]
        let status = SecItemAdd(query as CFDictionary, nil)
        #expect(status == errSecSuccess)
    }

    @Test func `a query with String keys and a cast result work as in Apple's documentation`() throws {
        addInternetPassword()
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrServer as String: server,
            kSecMatchLimit as String: kSecMatchLimitOne,
            kSecReturnAttributes as String: true,
            kSecReturnData as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status != errSecItemNotFound else {
            Issue.record("not found")
            return
        }
        #expect(status == errSecSuccess)
        let existing = try #require(item as? [String: Any])
        let data = try #require(existing[kSecValueData as String] as? Data)
        #expect(data == password)
        #expect(existing[kSecAttrAccount as String] as? String == account)

        let attributes: [String: Any] = [
            kSecAttrAccount as String: account, kSecValueData as String: Data("canary".utf8),
        ]
        #expect(
            SecItemUpdate(
                query.filter { !$0.key.hasPrefix("r_") && !$0.key.hasPrefix("m_") } as CFDictionary,
                attributes as CFDictionary
            ) == errSecSuccess
        )
        let deletion: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
        ]
        #expect(SecItemDelete(deletion as CFDictionary) == errSecSuccess)
    }

    @Test func `a dictionary with AnyHashable values is accepted`() {
        let query: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: server,
            kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
            kSecValueData as String: password,
            kSecAttrIsInvisible as String: true,
            kSecUseDataProtectionKeychain as String: true,
        ]
        #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
        let search: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: server,
            kSecReturnData as String: true,
        ]
        var result: AnyObject?
        #expect(SecItemCopyMatching(search as CFDictionary, &result) == errSecSuccess)
        #expect(result as? Data == password)
    }

    @Test func `a mutable dictionary is passed without a cast and changed between calls`() {
        let query =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: server, kSecAttrAccount: account,
            ] as NSMutableDictionary
        query[kSecValueData] = password
        #expect(SecItemAdd(query, nil) == errSecSuccess)
        query.removeObject(forKey: kSecValueData)
        query[kSecReturnData] = kCFBooleanTrue
        var copied: CFTypeRef? = nil
        #expect(SecItemCopyMatching(query, &copied) == errSecSuccess)
        #expect(copied as? NSData == NSData(data: password))
    }

    @Test func `a dictionary literal cast to NSDictionary is accepted`() {
        #expect(
            SecItemAdd(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: password,
                ] as NSDictionary,
                nil
            ) == errSecSuccess
        )
        #expect(
            SecItemDelete(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: account,
                ] as NSDictionary
            ) == errSecSuccess
        )
    }

    @Test func `dictionaries with NSString keys are accepted`() {
        let byConstant: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: password,
        ]
        let byObject: [NSString: AnyObject] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account as NSString,
        ]
        let objects: [String: AnyObject] = [
            String(kSecClass): kSecClassGenericPassword, String(kSecAttrAccount): account as AnyObject,
        ]
        #expect(SecItemAdd(byConstant as CFDictionary, nil) == errSecSuccess)
        #expect(SecItemCopyMatching(byObject as CFDictionary, nil) == errSecSuccess)
        #expect(SecItemCopyMatching(objects as CFDictionary, nil) == errSecSuccess)
    }

    @Test func `constants converted with String and force-unwrapped Booleans are accepted`() {
        var attributes: [String: Any] = [:]
        attributes[String(kSecClass)] = String(kSecClassGenericPassword)
        attributes[String(kSecAttrService)] = server
        attributes[String(kSecValueData)] = password
        #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
        attributes[String(kSecValueData)] = nil
        attributes[String(kSecMatchLimit)] = kSecMatchLimitOne
        attributes[String(kSecReturnData)] = kCFBooleanTrue!
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(attributes as CFDictionary, UnsafeMutablePointer($0))
        }
        #expect(status == errSecSuccess)
        #expect((result as! NSData) as Data == password)
    }

    @Test func `a result with several items casts to arrays of dictionaries`() throws {
        addInternetPassword()
        let query: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: kCFBooleanTrue as Any, kSecReturnRef: false,
        ]
        var items: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
        let dictionaries = try #require(items as? [[String: Any]])
        #expect(dictionaries.map { $0[kSecAttrServer as String] as? String } == [server])
        let objects = try #require(items as? [NSDictionary])
        #expect(objects.first?[kSecAttrAccount] as? String == account)
        let byConstant = try #require(items as? [[CFString: Any]])
        #expect(byConstant.first?[kSecAttrAccount] as? String == account)
        #expect((items as? NSArray)?.count == 1)
    }

    @Test func `dates, numbers and Booleans in a result cast to Swift types`() throws {
        #expect(
            SecItemAdd(
                [
                    kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecAttrPort: 443,
                    kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrIsInvisible: true,
                ] as CFDictionary,
                nil
            ) == errSecSuccess
        )
        var item: CFTypeRef?
        SecItemCopyMatching(
            [
                kSecClass: kSecClassInternetPassword, kSecAttrServer: server, kSecReturnAttributes: true,
            ] as CFDictionary,
            &item
        )
        let attributes = try #require(item as? [String: Any])
        #expect(attributes[kSecAttrPort as String] as? Int == 443)
        #expect(attributes[kSecAttrProtocol as String] as? String == kSecAttrProtocolHTTPS as String)
        #expect(attributes[kSecAttrIsInvisible as String] as? Bool == true)
        #expect(attributes[kSecAttrSynchronizable as String] as? Bool == false)
        let created = try #require(attributes[kSecAttrCreationDate as String] as? Date)
        #expect(abs(created.timeIntervalSinceNow) < 3600)
    }

    @Test(arguments: [errSecSuccess, errSecItemNotFound, errSecDuplicateItem, -1])
    func `statuses are matched in a switch`(status: OSStatus) {
        let name =
            switch status {
            case errSecSuccess: "success"
            case errSecItemNotFound, errSecNoSuchAttr: "not found"
            case errSecDuplicateItem: "duplicate"
            case noErr: "no error"
            default: "other"
            }
        let expected: [OSStatus: String] = [
            0: "success", -25_300: "not found", -25_299: "duplicate", -1: "other",
        ]
        #expect(name == expected[status])
    }

    @Test func `an NSError is created with the message of a status`() {
        let message = SecCopyErrorMessageString(errSecItemNotFound, nil) as String?
        let error = NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(errSecItemNotFound),
            userInfo: [NSLocalizedDescriptionKey: message ?? "unknown"]
        )
        #expect(error.localizedDescription == "The specified item could not be found in the keychain.")
    }

    @Test func `the result pointer may be nil, and statuses can be ignored without a warning`() {
        addInternetPassword()
        SecItemDelete([kSecClass: kSecClassInternetPassword] as CFDictionary)
        #expect(SecItemCopyMatching([kSecClass: kSecClassInternetPassword] as CFDictionary, nil) == -25_300)
    }

    @Test func `an access control is created with an error pointer`() throws {
        var error: Unmanaged<CFError>?
        let access = SecAccessControlCreateWithFlags(
            kCFAllocatorDefault,
            kSecAttrAccessibleWhenUnlockedThisDeviceOnly as CFTypeRef,
            [],
            &error
        )
        #expect(error == nil)
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: server,
            kSecAttrAccessControl as String: access as Any,
        ]
        #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
        #expect(SecAccessControlCreateWithFlags(kCFAllocatorDefault, "x" as CFTypeRef, .or, &error) == nil)
        let failure = try #require(error?.takeRetainedValue())
        #expect((failure as any Error as NSError).code == Int(errSecParam))
    }
}
