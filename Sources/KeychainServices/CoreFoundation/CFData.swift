// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Returns the number of bytes of a data object; 0 if the argument is `nil`.
public func CFDataGetLength(_ theData: CFData?) -> CFIndex { theData?.length ?? 0 }

/// Returns a pointer to the bytes of a data object; `nil` if the argument is `nil`.
///
/// The pointer is valid while the object exists.
public func CFDataGetBytePtr(_ theData: CFData?) -> UnsafePointer<UInt8>? {
    guard let theData else { return nil }
    return unsafe theData.bytes.assumingMemoryBound(to: UInt8.self)
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// Creates data that uses the given bytes without copying them.
///
/// - Parameters:
///   - allocator: Ignored.
///   - bytes: The bytes; may be `nil` if `length` is 0.
///   - length: The number of bytes.
///   - bytesDeallocator: `kCFAllocatorNull` if the caller frees the bytes after the object is released;
///     with any other value, releasing the object frees them with `free`.
/// - Returns: The object; `nil` if `length` is negative, or if it is positive and `bytes` is `nil`.
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
