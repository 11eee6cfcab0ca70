// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A passcode, in memory that is not swapped out or dumped, and overwritten when the value goes.
///
/// It is bytes, 1 to 1,024 of them, compared as they are. A text is its UTF-8 bytes: two ways to write one letter are
/// two passcodes, so that what was accepted once is accepted on every machine.
public struct Passcode: ~Copyable, Sendable {
    package let bytes: SecretBytes

    /// Takes bytes over and overwrites the array, if nobody else has a copy of it; the array is empty afterwards.
    ///
    /// Any bytes make a value: those that can be no passcode are refused by the call that gets them, with `errSecParam`.
    public init(moving bytes: inout [UInt8]) {
        self.bytes = SecretBytes(moving: &bytes)
    }

    /// Whether it is a single character, which is guessed immediately.
    package var isOneCharacter: Bool {
        // In UTF-8, every byte after the first of a character starts with the bits 10.
        unsafe bytes.withBytes { unsafe $0.count { $0 & 0xc0 != 0x80 } } == 1
    }

    /// Copies the UTF-8 bytes of a text, which itself stays where it is in memory.
    public init(_ text: String) {
        var bytes = Array(text.utf8)
        self.bytes = SecretBytes(moving: &bytes)
    }
}
