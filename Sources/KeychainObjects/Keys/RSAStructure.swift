// SPDX-License-Identifier: Apache-2.0

#if Objects
import CryptoExtras
import FoundationEssentials
import SwiftASN1

/// The PKCS#1 structures, which are SEQUENCEs of integers.
enum RSAStructure {
    /// Checks that the data is one PKCS#1 structure of a supported size, without trailing data.
    static func check(_ bytes: Data, _ half: KeyHalf) throws(AsymmetricKeyError) {
        try [UInt8].withErasedCopy(of: bytes) { bytes throws(AsymmetricKeyError) in
            try AsymmetricKeyError.catching(.malformedKey) { try check(DER.parse(bytes), half) }
        }
    }

    private static func check(_ node: ASN1Node, _ half: KeyHalf) throws {
        var integers: [ArraySlice<UInt8>] = []
        try DER.sequence(node, identifier: .sequence) { nodes in
            while let node = nodes.next() {
                // A private key has nine integers. Multi-prime keys (version 1) have more and are
                // unsupported.
                guard integers.count < 9 else {
                    throw integers.first == [1] ? AsymmetricKeyError.unsupportedKey : .malformedKey
                }
                integers.append(try positive(node))
            }
        }
        switch half {
        case .public: guard integers.count == 2 else { throw AsymmetricKeyError.malformedKey }
        case .private:
            guard integers.count == 9, integers.removeFirst().isEmpty else {
                throw AsymmetricKeyError.malformedKey
            }
        }
        guard !integers.contains(where: \.isEmpty) else { throw AsymmetricKeyError.malformedKey }
        let modulus = integers[0]
        guard KeySpecification.readableRSASizes.contains(bits(of: modulus)) else {
            throw AsymmetricKeyError.malformedKey
        }
        // Reject numbers larger than the modulus, because computing with them could take very long.
        guard integers.allSatisfy({ $0.count <= modulus.count }) else {
            throw AsymmetricKeyError.malformedKey
        }
    }

    /// Returns the bytes of a nonnegative INTEGER without leading zeros; empty for 0.
    private static func positive(_ node: ASN1Node) throws -> ArraySlice<UInt8> {
        guard node.identifier == .integer, case .primitive(let bytes) = node.content, let first = bytes.first,
            first < 0x80
        else {
            throw AsymmetricKeyError.malformedKey
        }
        guard first == 0 else { return bytes }
        // DER allows a leading zero only to keep the number positive, or for the number 0.
        guard bytes.count == 1 || bytes.dropFirst().first.map({ $0 >= 0x80 }) == true else {
            throw AsymmetricKeyError.malformedKey
        }
        return bytes.dropFirst()
    }

    private static func bits(of digits: ArraySlice<UInt8>) -> Int {
        digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    }

    /// Returns the integers of a valid structure.
    static func integers(of bytes: Data) throws(AsymmetricKeyError) -> [Data] {
        try [UInt8].withErasedCopy(of: bytes) { bytes throws(AsymmetricKeyError) in
            try AsymmetricKeyError.catching(.malformedKey) {
                var integers: [Data] = []
                try DER.sequence(DER.parse(bytes), identifier: .sequence) { nodes in
                    while let node = nodes.next() { integers.append(Data(try positive(node))) }
                }
                return integers
            }
        }
    }

    /// Encodes a public key from its modulus and exponent.
    static func publicKey(modulus: Data, exponent: Data) -> Data {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { serializer in
            for digits in [modulus, exponent] {
                serializer.appendPrimitiveNode(identifier: .integer) { bytes in
                    if digits.first.map({ $0 >= 0x80 }) ?? true { bytes.append(0) }
                    bytes.append(contentsOf: digits)
                }
            }
        }
        return Data(serializer.serializedBytes)
    }
}
#endif
