// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A status code; 0 is success.
public typealias OSStatus = Int32

/// Any object, such as the result of a call.
public typealias CFTypeRef = AnyObject

/// A string.
///
/// Differs: Foundation on Linux replaces unpaired surrogates with U+FFFD when it creates a string.
public typealias CFString = NSString

/// A mutable string.
public typealias CFMutableString = NSMutableString

/// A byte buffer.
public typealias CFData = NSData

/// A mutable byte buffer.
public typealias CFMutableData = NSMutableData

/// An array of objects.
public typealias CFArray = NSArray

/// A mutable array of objects.
public typealias CFMutableArray = NSMutableArray

/// A dictionary, such as a query for a `SecItem` function.
public typealias CFDictionary = NSDictionary

/// A mutable dictionary.
public typealias CFMutableDictionary = NSMutableDictionary

/// A set of objects.
public typealias CFSet = NSSet

/// A mutable set of objects.
public typealias CFMutableSet = NSMutableSet

/// A URL.
public typealias CFURL = NSURL

/// A number.
public typealias CFNumber = NSNumber

/// A Boolean.
///
/// Differs: `CFBoolean` and `CFNumber` are the same class `NSNumber`, so an extension of one extends both.
/// `CFGetTypeID` distinguishes `kCFBooleanTrue` and `kCFBooleanFalse` from numbers.
public typealias CFBoolean = NSNumber

/// A date and time.
public typealias CFDate = NSDate

/// The null object.
public typealias CFNull = NSNull

/// An error object, returned through a pointer.
public typealias CFError = NSError

/// A set of flags.
public typealias CFOptionFlags = UInt

/// A count or index.
public typealias CFIndex = Int

/// A memory allocator; only `CFDataCreateWithBytesNoCopy` uses it, to select who frees the bytes.
///
/// Differs: memory is always allocated by Foundation. The only values are `nil` and `kCFAllocatorNull`.
public final class CFAllocator: Sendable {
    fileprivate init() {}
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The default allocator: `nil`.
public let kCFAllocatorDefault: CFAllocator! = nil

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The null allocator, which frees nothing.
///
/// With this allocator, the caller of `CFDataCreateWithBytesNoCopy` has to free the bytes.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The Boolean that is true.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The Boolean that is false.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The key of a bundle's identifier in the bundle's information dictionary.
@safe public nonisolated(unsafe) let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"

/// The status of success; equal to ``errSecSuccess``.
public let noErr: OSStatus = 0
