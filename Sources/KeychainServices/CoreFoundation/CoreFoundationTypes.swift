// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The number of a type of objects.
///
/// Differs: the numbers are the same in every run; on Apple's platforms those of the `Sec` types are not.
public typealias CFTypeID = UInt

/// A hash of an object.
public typealias CFHashCode = UInt

/// A moment, in seconds since the beginning of 2001.
public typealias CFAbsoluteTime = Double

/// A span of time, in seconds.
public typealias CFTimeInterval = Double

/// The types of objects that dictionaries and results have, by number: a class comes before those it derives from.
private let types: [(number: CFTypeID, type: AnyClass)] = [
    (7, NSString.self), (16, NSNull.self), (17, NSSet.self), (18, NSDictionary.self), (19, NSArray.self),
    (20, NSData.self), (22, NSNumber.self), (27, NSError.self), (29, NSURL.self), (42, NSDate.self),
    (301, SecKey.self),
    (302, SecCertificate.self), (303, SecIdentity.self),
    (304, SecAccessControl.self), (305, SecPolicy.self), (306, SecTrust.self),
]

/// The number of a Boolean, which has no class of its own.
private let booleanNumber: CFTypeID = 21

private func number(of type: AnyClass) -> CFTypeID { types.first { $0.type == type }?.number ?? 0 }

/// The number of an object's type; 0 for a type that no function of this module returns.
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

/// Whether two objects say the same.
public func CFEqual(_ cf1: CFTypeRef?, _ cf2: CFTypeRef?) -> Bool {
    guard let cf1, let cf2 else { return cf1 == nil && cf2 == nil }
    return cf1 === cf2 || (cf1 as? NSObject)?.isEqual(cf2) == true
}

/// A number that equal objects share.
public func CFHash(_ cf: CFTypeRef?) -> CFHashCode {
    // Foundation on Linux stops the program where an error is asked for its hash.
    if let error = cf as? NSError { return CFHashCode(bitPattern: error.code) }
    return CFHashCode(bitPattern: (cf as? NSObject)?.hash ?? 0)
}

/// The number of the type of texts.
public func CFStringGetTypeID() -> CFTypeID { number(of: NSString.self) }

/// The number of the type of dictionaries.
public func CFDictionaryGetTypeID() -> CFTypeID { number(of: NSDictionary.self) }

/// The number of the type of arrays.
public func CFArrayGetTypeID() -> CFTypeID { number(of: NSArray.self) }

/// The number of the type of bytes.
public func CFDataGetTypeID() -> CFTypeID { number(of: NSData.self) }

/// The number of the type of numbers.
public func CFNumberGetTypeID() -> CFTypeID { number(of: NSNumber.self) }

/// The number of the type of Booleans, as which only the two constants count.
public func CFBooleanGetTypeID() -> CFTypeID { booleanNumber }

/// The number of the type of moments.
public func CFDateGetTypeID() -> CFTypeID { number(of: NSDate.self) }

/// The number of the type of errors.
public func CFErrorGetTypeID() -> CFTypeID { number(of: NSError.self) }

/// The number of the type of sets.
public func CFSetGetTypeID() -> CFTypeID { number(of: NSSet.self) }

/// The number of the type of places.
public func CFURLGetTypeID() -> CFTypeID { number(of: NSURL.self) }

/// The number of the type of the object that stands for nothing.
public func CFNullGetTypeID() -> CFTypeID { number(of: NSNull.self) }

/// The number of the type of keys.
public func SecKeyGetTypeID() -> CFTypeID { number(of: SecKey.self) }

/// The number of the type of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { number(of: SecCertificate.self) }

/// The number of the type of identities.
public func SecIdentityGetTypeID() -> CFTypeID { number(of: SecIdentity.self) }

/// The number of the type of access controls.
public func SecAccessControlGetTypeID() -> CFTypeID { number(of: SecAccessControl.self) }

/// The number of the type of policies.
public func SecPolicyGetTypeID() -> CFTypeID { number(of: SecPolicy.self) }

/// The number of the type of trust.
public func SecTrustGetTypeID() -> CFTypeID { number(of: SecTrust.self) }

/// How many objects an array has.
public func CFArrayGetCount(_ theArray: CFArray?) -> CFIndex { theArray?.count ?? 0 }

/// How many keys a dictionary has.
public func CFDictionaryGetCount(_ theDict: CFDictionary?) -> CFIndex { theDict?.count ?? 0 }

/// Whether a Boolean is true.
public func CFBooleanGetValue(_ boolean: CFBoolean) -> Bool { boolean.boolValue }

/// The present moment.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.now.timeIntervalSinceReferenceDate }
