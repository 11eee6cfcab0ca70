// SPDX-License-Identifier: Apache-2.0

/// The object identifiers used in certificates, as DER content bytes.
///
/// Identifiers are compared as bytes because SwiftASN1's type rejects arcs of more than 64 bits, which
/// UUID-based identifiers have.
enum CertificateOID {
    // 2.5.4.3
    static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    // 2.5.4.10
    static let organization: [UInt8] = [0x55, 0x04, 0x0A]
    // 2.5.4.11
    static let organizationalUnit: [UInt8] = [0x55, 0x04, 0x0B]
    // 2.5.4.13
    static let description: [UInt8] = [0x55, 0x04, 0x0D]
    // 1.2.840.113549.1.9.1
    static let emailAddress: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01]
    // 2.5.29.14
    static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 0x0E]
    // 2.5.29.17
    static let subjectAlternativeName: [UInt8] = [0x55, 0x1D, 0x11]
    // 2.5.29.37
    static let extendedKeyUsage: [UInt8] = [0x55, 0x1D, 0x25]
    // 2.5.29.37.0
    static let anyExtendedKeyUsage: [UInt8] = [0x55, 0x1D, 0x25, 0x00]
    // 1.3.6.1.5.5.7.3.3
    static let codeSigning: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x03]
}
