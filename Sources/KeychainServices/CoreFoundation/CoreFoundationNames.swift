// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The number that a call answers with; 0 is success.
public typealias OSStatus = Int32

/// Any object of a dictionary, of an array or of a result.
public typealias CFTypeRef = AnyObject

/// Text, as the names of keys and of their values are.
///
/// Differs: Foundation on Linux replaces half of a surrogate pair by U+FFFD where a text is made.
public typealias CFString = NSString

/// Text that can be changed.
public typealias CFMutableString = NSMutableString

/// Bytes.
public typealias CFData = NSData

/// Bytes that can be changed.
public typealias CFMutableData = NSMutableData

/// An array of objects.
public typealias CFArray = NSArray

/// An array of objects that can be changed.
public typealias CFMutableArray = NSMutableArray

/// What every `SecItem` function takes: keys that are names, and objects.
public typealias CFDictionary = NSDictionary

/// A dictionary that can be changed between calls.
public typealias CFMutableDictionary = NSMutableDictionary

/// A set of objects.
public typealias CFSet = NSSet

/// A set of objects that can be changed.
public typealias CFMutableSet = NSMutableSet

/// A place of a file or of a server.
public typealias CFURL = NSURL

/// A number.
public typealias CFNumber = NSNumber

/// A truth value.
///
/// Differs: it is the class `NSNumber`, like `CFNumber`, so extensions of both types extend one class. The two constants
/// below are Booleans nonetheless.
public typealias CFBoolean = NSNumber

/// A point in time.
public typealias CFDate = NSDate

/// The object that stands for nothing.
public typealias CFNull = NSNull

/// An error that a function leaves behind a pointer.
public typealias CFError = NSError

/// A set of flags.
public typealias CFOptionFlags = UInt

/// A count or a place in an array.
public typealias CFIndex = Int

/// Where memory would come from: accepted everywhere and never used.
///
/// Differs: there is no allocator to choose. The only values are `nil` and `kCFAllocatorNull`.
public final class CFAllocator: Sendable {
    fileprivate init() {}
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The default allocator.
public let kCFAllocatorDefault: CFAllocator! = nil

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The allocator that does not free: with it, `CFDataCreateWithBytesNoCopy` leaves the bytes to the caller.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The Boolean that is true.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The Boolean that is false.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The key of a bundle's identifier in its information dictionary.
@safe public nonisolated(unsafe) let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"

/// Success, for functions that are not of the `Sec` family.
public let noErr: OSStatus = 0
