// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A minimal certificate, each part of which a test can replace by other DER.
struct SmallestCertificate {
    static let empty = Data([0x30, 0])
    static let bits = Data([3, 2, 0, 1])
    static let date = element(0x17, Data("000101000000Z".utf8))

    var version = Data()
    var serialNumber = Data([2, 1, 5])
    var signature = empty
    var issuer = empty
    var notBefore = date
    var notAfter = date
    var subject = empty
    var key = element(0x30, empty + bits)
    /// The fields of the TBSCertificate after the key: unique identifiers and extensions.
    var rest = Data()
    /// The fields of the certificate after the TBSCertificate: signature algorithm and signature.
    var signed = empty + bits

    var der: Data {
        let validity = Self.element(0x30, notBefore + notAfter)
        let fields = version + serialNumber + signature + issuer + validity + subject + key + rest
        return Self.element(0x30, Self.element(0x30, fields) + signed)
    }

    static func element(_ tag: UInt8, _ content: Data) -> Data {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return Data([tag] + length) + content
    }
}
