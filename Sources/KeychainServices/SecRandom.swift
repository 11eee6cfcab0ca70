// SPDX-License-Identifier: Apache-2.0

/// A reference to a random number generator; the only value is `nil`.
public typealias SecRandomRef = OpaquePointer

/// The system's random number generator.
@safe public nonisolated(unsafe) let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes from the system's generator.
///
/// - Parameters:
///   - rnd: Pass `kSecRandomDefault`.
///   - count: The number of bytes, at least 0.
///   - bytes: The buffer, of at least `count` bytes.
/// - Returns: `errSecSuccess`, or `errSecParam` for a negative count.
///
/// Source: Apple, *SecRandomCopyBytes(_:_:_:)*.
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32
{
    guard count >= 0 else { return errSecParam }
    var generator = SystemRandomNumberGenerator()
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
    let step = MemoryLayout<UInt64>.size
    for offset in stride(from: 0, to: count, by: step) {
        unsafe withUnsafeBytes(of: generator.next()) { random in
            let part = unsafe UnsafeMutableRawBufferPointer(
                rebasing: buffer[offset..<min(offset + step, count)]
            )
            unsafe part.copyMemory(from: UnsafeRawBufferPointer(rebasing: random[..<part.count]))
        }
    }
    return errSecSuccess
}
