// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Distinguishes the new key of a protection class from the former one.
///
/// Each rotation of the class keys switches the parity.
package enum KeyParity: UInt8, Sendable {
    case even, odd

    package var other: Self { self == .even ? .odd : .even }
}

package struct ClassKeyID: Hashable, Sendable {
    package let protection: ProtectionClass
    package let parity: KeyParity

    package init(_ protection: ProtectionClass, _ parity: KeyParity) {
        self.protection = protection
        self.parity = parity
    }
}

/// The encoding in one byte, lowest bits first: `protection class 4 bits | zeros 2 | parity 1 | zero 1`.
///
/// The flags of a row contain the class and the parity at the same bits.
extension ClassKeyID {
    static let parityBit: UInt8 = 1 << 6

    var code: UInt8 { protection.rawValue | (parity == .odd ? Self.parityBit : 0) }

    init?(code: UInt8) {
        guard let protection = ProtectionClass(rawValue: code & ~Self.parityBit) else { return nil }
        self.init(protection, code & Self.parityBit == 0 ? .even : .odd)
    }
}
