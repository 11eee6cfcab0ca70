// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The type ID of a Core Foundation class.
///
/// Differs: all IDs are the same in every process; on Apple's platforms, the IDs of `Sec` types can differ
/// between processes.
public typealias CFTypeID = UInt

/// A hash value of an object.
public typealias CFHashCode = UInt

/// A date in seconds since 2001-01-01 00:00 UTC.
public typealias CFAbsoluteTime = Double

/// A span of time, in seconds.
public typealias CFTimeInterval = Double

/// The classes that have type IDs, and their IDs.
private let types: [(number: CFTypeID, type: AnyClass)] = [
    (7, NSString.self), (16, NSNull.self), (17, NSSet.self), (18, NSDictionary.self), (19, NSArray.self),
    (20, NSData.self), (22, NSNumber.self), (27, NSError.self), (29, NSURL.self), (42, NSDate.self),
    (301, SecKey.self),
    (302, SecCertificate.self), (303, SecIdentity.self),
    (304, SecAccessControl.self), (305, SecPolicy.self), (306, SecTrust.self),
]

/// The type ID of Booleans, whose class is `NSNumber`.
private let booleanNumber: CFTypeID = 21

private func number(of type: AnyClass) -> CFTypeID { types.first { $0.type == type }?.number ?? 0 }

/// Returns the type ID of an object; 0 for `nil`, and for an object whose class has no type ID.
public func CFGetTypeID(_ cf: CFTypeRef?) -> CFTypeID {
    guard let cf else { return 0 }
    if let number = cf as? NSNumber, number === kCFBooleanTrue || number === kCFBooleanFalse {
        return booleanNumber
    }
    return types.first {
        ($0.type as? NSObject.Type).map { type in (cf as? NSObject)?.isKind(of: type) == true } == true
    }?
    .number ?? 0
}

/// Whether two objects are equal; `nil` equals only `nil`.
public func CFEqual(_ cf1: CFTypeRef?, _ cf2: CFTypeRef?) -> Bool {
    guard let cf1, let cf2 else { return cf1 == nil && cf2 == nil }
    return cf1 === cf2 || (cf1 as? NSObject)?.isEqual(cf2) == true
}

/// Returns a hash value, which is the same for equal objects.
public func CFHash(_ cf: CFTypeRef?) -> CFHashCode {
    // Foundation on Linux traps when an error is hashed.
    if let error = cf as? NSError { return CFHashCode(bitPattern: error.code) }
    return CFHashCode(bitPattern: (cf as? NSObject)?.hash ?? 0)
}

/// The type ID of `CFString`.
public func CFStringGetTypeID() -> CFTypeID { number(of: NSString.self) }

/// The type ID of `CFDictionary`.
public func CFDictionaryGetTypeID() -> CFTypeID { number(of: NSDictionary.self) }

/// The type ID of `CFArray`.
public func CFArrayGetTypeID() -> CFTypeID { number(of: NSArray.self) }

/// The type ID of `CFData`.
public func CFDataGetTypeID() -> CFTypeID { number(of: NSData.self) }

/// The type ID of `CFNumber`.
public func CFNumberGetTypeID() -> CFTypeID { number(of: NSNumber.self) }

/// The type ID of `CFBoolean`, which only `kCFBooleanTrue` and `kCFBooleanFalse` have.
public func CFBooleanGetTypeID() -> CFTypeID { booleanNumber }

/// The type ID of `CFDate`.
public func CFDateGetTypeID() -> CFTypeID { number(of: NSDate.self) }

/// The type ID of `CFError`.
public func CFErrorGetTypeID() -> CFTypeID { number(of: NSError.self) }

/// The type ID of `CFSet`.
public func CFSetGetTypeID() -> CFTypeID { number(of: NSSet.self) }

/// The type ID of `CFURL`.
public func CFURLGetTypeID() -> CFTypeID { number(of: NSURL.self) }

/// The type ID of `CFNull`.
public func CFNullGetTypeID() -> CFTypeID { number(of: NSNull.self) }

/// The type ID of `SecKey`.
public func SecKeyGetTypeID() -> CFTypeID { number(of: SecKey.self) }

/// The type ID of `SecCertificate`.
public func SecCertificateGetTypeID() -> CFTypeID { number(of: SecCertificate.self) }

/// The type ID of `SecIdentity`.
public func SecIdentityGetTypeID() -> CFTypeID { number(of: SecIdentity.self) }

/// The type ID of `SecAccessControl`.
public func SecAccessControlGetTypeID() -> CFTypeID { number(of: SecAccessControl.self) }

/// The type ID of `SecPolicy`.
public func SecPolicyGetTypeID() -> CFTypeID { number(of: SecPolicy.self) }

/// The type ID of `SecTrust`.
public func SecTrustGetTypeID() -> CFTypeID { number(of: SecTrust.self) }

/// The number of elements of an array.
public func CFArrayGetCount(_ theArray: CFArray?) -> CFIndex { theArray?.count ?? 0 }

/// The number of keys of a dictionary.
public func CFDictionaryGetCount(_ theDict: CFDictionary?) -> CFIndex { theDict?.count ?? 0 }

/// Whether a Boolean is true.
public func CFBooleanGetValue(_ boolean: CFBoolean) -> Bool { boolean.boolValue }

/// The current date in seconds since 2001-01-01 00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.now.timeIntervalSinceReferenceDate }
