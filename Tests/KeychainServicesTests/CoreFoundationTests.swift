// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

@Suite struct CoreFoundationTests {
    @Test func `every type has a unique type ID`() {
        let numbers = [
            CFStringGetTypeID(), CFDictionaryGetTypeID(), CFArrayGetTypeID(), CFDataGetTypeID(),
            CFNumberGetTypeID(),
            CFBooleanGetTypeID(), CFDateGetTypeID(), CFErrorGetTypeID(), CFSetGetTypeID(),
            CFURLGetTypeID(), CFNullGetTypeID(), SecKeyGetTypeID(),
            SecCertificateGetTypeID(), SecAccessControlGetTypeID(), SecPolicyGetTypeID(), SecTrustGetTypeID(),
        ]
        #expect(Set(numbers).count == numbers.count)
        #expect(!numbers.contains(0))
    }

    @Test func `CFGetTypeID returns the type of an object`() throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil)
        )
        let rows: [(NSObject, CFTypeID)] = [
            (NSString("x"), CFStringGetTypeID()), (NSMutableString("x"), CFStringGetTypeID()),
            (NSDictionary(), CFDictionaryGetTypeID()), (NSMutableArray(), CFArrayGetTypeID()),
            (NSData(), CFDataGetTypeID()), (NSNumber(value: 1), CFNumberGetTypeID()),
            (kCFBooleanTrue, CFBooleanGetTypeID()), (kCFBooleanFalse, CFBooleanGetTypeID()),
            (NSDate(), CFDateGetTypeID()), (NSError(domain: "d", code: 1), CFErrorGetTypeID()),
            (control, SecAccessControlGetTypeID()), (SecPolicyCreateBasicX509(), SecPolicyGetTypeID()),
            (NSSet(), CFSetGetTypeID()), (NSMutableSet(), CFSetGetTypeID()), (NSNull(), CFNullGetTypeID()),
            (NSURL(fileURLWithPath: "/"), CFURLGetTypeID()), (NSUUID(), 0),
        ]
        for (object, number) in rows { #expect(CFGetTypeID(object) == number) }
        #expect(CFGetTypeID(nil) == 0)
    }

    @Test func `a wrapper can read the bundle identifier of the program`() {
        let properties: [String: Any] = ["CFBundleIdentifier": "org.example.program"]
        #expect(properties[kCFBundleIdentifierKey as String] as? String == "org.example.program")
        let name = Bundle.main.infoDictionary?[kCFBundleIdentifierKey as String] as? String
        #expect(name == Bundle.main.bundleIdentifier)
    }

    @Test func `CFEqual compares objects by value`() {
        #expect(CFEqual(NSString("a"), NSMutableString("a")))
        #expect(!CFEqual(NSString("a"), NSString("b")))
        #expect(!CFEqual(NSString("a"), nil))
        #expect(CFEqual(nil, nil))
        #expect(CFHash(NSString("a")) == CFHash(NSMutableString("a")))
        #expect(CFHash(nil) == 0)
        #expect(CFHash(NSError(domain: "d", code: 7)) == CFHash(NSError(domain: "d", code: 7)))
        #expect(CFBooleanGetValue(kCFBooleanTrue) && !CFBooleanGetValue(kCFBooleanFalse))
        #expect(abs(CFAbsoluteTimeGetCurrent() - Date.now.timeIntervalSinceReferenceDate) < 3600)
    }

    @Test func `the parts of a CFError can be read`() throws {
        var pointer: Unmanaged<CFError>?
        #expect(SecAccessControlCreateWithFlags(nil, NSString("nonsense"), [], &pointer) == nil)
        let error = try #require(pointer?.takeRetainedValue())
        #expect(CFErrorGetDomain(error) == NSString(string: NSOSStatusErrorDomain))
        #expect(CFErrorGetCode(error) == Int(errSecParam))
        #expect(CFErrorCopyUserInfo(error) != nil)
        #expect(CFErrorCopyFailureReason(error) == nil)
        let full = NSError(
            domain: "d",
            code: 7,
            userInfo: [NSLocalizedDescriptionKey: "text", NSLocalizedFailureReasonErrorKey: "why"]
        )
        #expect(CFErrorCopyDescription(full) == "text")
        #expect(CFErrorCopyFailureReason(full) == "why")
        #expect(CFErrorCopyUserInfo(full)?[NSLocalizedDescriptionKey] as? String == "text")
        #expect(CFErrorGetDomain(nil) == nil && CFErrorGetCode(nil) == 0)
        #expect(CFErrorCopyRecoverySuggestion(full) == nil)
    }

    @Test func `a CFError can be created`() throws {
        let userInfo: [AnyHashable: String] = [
            kCFErrorLocalizedDescriptionKey as String: "text",
            kCFErrorLocalizedFailureReasonKey as String: "why",
            NSLocalizedRecoverySuggestionErrorKey: "again", 7: "nothing",
        ]
        let error: NSError = CFErrorCreate(
            kCFAllocatorDefault,
            kCFErrorDomainOSStatus,
            -50,
            userInfo as CFDictionary
        )
        #expect((error.domain, error.code) == (NSOSStatusErrorDomain, -50))
        #expect(error.localizedDescription == "text" && error.localizedFailureReason == "why")
        #expect(CFErrorCopyRecoverySuggestion(error) == "again")
        #expect(error.userInfo.count == 3)
        #expect(CFErrorCreate(nil, "d" as NSString?, 7, nil) == NSError(domain: "d", code: 7))
        #expect(kCFErrorDomainPOSIX as String == NSPOSIXErrorDomain)
        #expect(kCFErrorUnderlyingErrorKey as String == NSUnderlyingErrorKey)
    }

    @Test func `functions return the counts of arrays, dictionaries and data`() {
        #expect(CFArrayGetCount([1, 2] as NSArray) == 2 && CFArrayGetCount(nil) == 0)
        #expect(CFDictionaryGetCount(["a": 1] as NSDictionary) == 1 && CFDictionaryGetCount(nil) == 0)
        #expect(CFDataGetLength(Data([1, 2, 3]) as NSData) == 3 && CFDataGetLength(nil) == 0)
    }

    @Test func `CFDataGetBytePtr returns a pointer to the bytes`() {
        let data = Data([1, 2, 3]) as CFData
        let bytes = CFDataGetBytePtr(data).map {
            UnsafeBufferPointer(start: $0, count: CFDataGetLength(data))
        }
        #expect(bytes.map(Array.init) == [1, 2, 3])
        #expect(CFDataGetBytePtr(nil) == nil)
        withExtendedLifetime(data) {}
    }

    @Test func `the deallocator determines whether no-copy data frees its bytes`() throws {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
        bytes.initialize(repeating: 7, count: 64)
        defer { bytes.deallocate() }
        do {
            let data: CFData = CFDataCreateWithBytesNoCopy(nil, bytes, 64, kCFAllocatorNull)
            bytes[0] = 8
            #expect(CFDataGetBytePtr(data)?.pointee == 8)
        }
        // With `kCFAllocatorNull`, releasing the data left the caller's bytes allocated.
        #expect(bytes[0] == 8 && bytes[63] == 7)
        let owned = try #require(malloc(64)).assumingMemoryBound(to: UInt8.self)
        let copy = UnsafePointer(owned)
        #expect(CFDataGetLength(CFDataCreateWithBytesNoCopy(kCFAllocatorDefault, copy, 64, nil)) == 64)
        #expect(CFDataGetLength(CFDataCreateWithBytesNoCopy(nil, nil, 0, kCFAllocatorNull)) == 0)
        #expect(CFDataCreateWithBytesNoCopy(nil, nil, 1, kCFAllocatorNull) == nil)
        #expect(CFDataCreateWithBytesNoCopy(nil, bytes, -1, kCFAllocatorNull) == nil)
    }

    @Test func `a constant in AnyHashable equals the same String`() throws {
        #expect(AnyHashable(kSecAttrAccount) == AnyHashable("acct"))
        let attributes: AnyObject = [["acct": "canary"]] as NSArray
        let results = try #require(attributes as? [[AnyHashable: Any]])
        #expect(results.map { $0[kSecAttrAccount] as? String } == ["canary"])
        let query: [AnyHashable: Any] = [kSecClass: kSecClassGenericPassword]
        #expect(query["class"] as? String == "genp" && query[kSecClass] as? NSString == "genp")
        #expect(
            (["class": "genp"] as NSDictionary).isEqual(to: [kSecClass as String: kSecClassGenericPassword])
        )
        #expect(Set([kSecClass, "class", NSMutableString("class")] as [AnyHashable]).count == 1)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: kSecClass, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: archive) == kSecClass)
    }
}
