// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How many bytes there are.
public func CFDataGetLength(_ theData: CFData?) -> CFIndex { theData?.length ?? 0 }

/// The bytes themselves, as long as the object lives; `nil` without an object.
public func CFDataGetBytePtr(_ theData: CFData?) -> UnsafePointer<UInt8>? {
    guard let theData else { return nil }
    return unsafe theData.bytes.assumingMemoryBound(to: UInt8.self)
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// Data over bytes that are not copied.
///
/// - Parameters:
///   - allocator: Ignored.
///   - bytes: The bytes; `nil` only if there are none.
///   - length: How many there are.
///   - bytesDeallocator: `kCFAllocatorNull` leaves the bytes to the caller, who frees them after the object is gone;
///     any other value frees them with `free`.
/// - Returns: The object; `nil` for a negative length, or for a length without bytes.
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator?,
    _ bytes: UnsafePointer<UInt8>?,
    _ length: CFIndex,
    _ bytesDeallocator: CFAllocator?
) -> CFData! {
    guard length >= 0 else { return nil }
    guard let bytes = unsafe bytes else { return length == 0 ? NSData() : nil }
    return unsafe NSData(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes),
        length: length,
        freeWhenDone: bytesDeallocator !== kCFAllocatorNull
    )
}
