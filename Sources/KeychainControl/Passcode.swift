// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A passcode in memory that is locked, excluded from core dumps, and erased on destruction.
///
/// A passcode is 1 to 1,024 arbitrary bytes. A string becomes its UTF-8 bytes without Unicode normalization,
/// so that the same input works on every machine.
public struct Passcode: ~Copyable, Sendable {
    package let bytes: SecretBytes

    /// Moves the bytes out of an array, and erases the array if its storage is not shared.
    ///
    /// The length is not checked here. Functions that take a passcode reject an invalid length with `errSecParam`.
    public init(moving bytes: inout [UInt8]) {
        self.bytes = SecretBytes(moving: &bytes)
    }

    /// Whether the passcode is a single UTF-8 character, which is easy to guess.
    package var isOneCharacter: Bool {
        // In UTF-8, every byte after the first of a character starts with the bits 10.
        unsafe bytes.withBytes { unsafe $0.count { $0 & 0xc0 != 0x80 } } == 1
    }

    /// Copies the UTF-8 bytes of a string, which itself stays in memory.
    public init(_ text: String) {
        var bytes = Array(text.utf8)
        self.bytes = SecretBytes(moving: &bytes)
    }
}
