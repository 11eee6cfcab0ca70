// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

/// The output format of keys and certificates.
extension StoredObject {
    /// The attribute block that macOS's `security` prints for a key or certificate.
    func block(keychain: String) -> String {
        let number: UInt32 =
            switch itemClass {
            case .key: classNumber
            default: 0x8000_1000
            }
        let lines =
            itemClass == .key
            ? [Self.classLine(classNumber)] + Self.keyRows.map(line) : Self.certificateRows.map(line)
        return """
            keychain: \(BlobText.quoted(keychain.utf8))
            version: \(itemClass == .key ? 512 : 256)
            class: \(BlobText.quoted(number: number))
            attributes:
            \(lines.map { "    \($0)\n" }.joined())
            """
    }

    private func line(_ row: AttributeRow) -> String { row.text(of: value(of: row.attribute)) }

    /// The value of an attribute to print; `nil` if the attribute is absent, or is a date that was not specified.
    private func value(of attribute: Attribute) -> AttributeValue? {
        // A key without a start or end date stores the reference date, 2001-01-01.
        attributes[attribute] == .date(0) ? nil : attributes[attribute]
    }

    /// The record type of the key in macOS's keychain files: 0x10 for a private key, 0x0f for any other.
    private var classNumber: UInt32 { isPrivateKey ? 0x10 : 0x0f }

    private static let certificateRows: [AttributeRow] = [
        AttributeRow("\"alis\"", .alias, .blob),
        AttributeRow("\"cenc\"", .certificateEncoding, .uint32),
        AttributeRow("\"ctyp\"", .certificateType, .uint32),
        AttributeRow("\"hpky\"", .publicKeyHash, .blob),
        AttributeRow("\"issu\"", .issuer, .blob),
        AttributeRow("\"labl\"", .label, .blob),
        AttributeRow("\"skid\"", .subjectKeyID, .blob),
        AttributeRow("\"snbr\"", .serialNumber, .blob),
        AttributeRow("\"subj\"", .subject, .blob),
    ]

    /// The rows of a key, whose tags are numbers in macOS's order from 1; the key class has the number 0.
    private static let keyRows: [AttributeRow] = {
        let attributes: [(Attribute, AttributeRow.Format)] = [
            (.label, .blob), (.alias, .blob), (.isPermanent, .uint32), (.isPrivate, .uint32),
            (.isModifiable, .uint32), (.applicationLabel, .blob), (.applicationTag, .blob), (.creator, .blob),
            (.type, .uint32), (.keySizeInBits, .uint32), (.effectiveKeySize, .uint32), (.startDate, .blob),
            (.endDate, .blob), (.isSensitive, .uint32), (.wasAlwaysSensitive, .uint32),
            (.isExtractable, .uint32), (.wasNeverExtractable, .uint32), (.canEncrypt, .uint32),
            (.canDecrypt, .uint32), (.canDerive, .uint32), (.canSign, .uint32), (.canVerify, .uint32),
            (.canSignRecover, .uint32), (.canVerifyRecover, .uint32), (.canWrap, .uint32),
            (.canUnwrap, .uint32),
        ]
        return attributes.enumerated().map { AttributeRow(tag($0.offset + 1), $0.element.0, $0.element.1) }
    }()

    private static func tag(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits + " "
    }

    /// The row of the key class; its value is the record type, not the stored attribute.
    private static func classLine(_ number: UInt32) -> String {
        "\(tag(0))<uint32>=\(BlobText.quoted(number: number))"
    }

    // MARK: Certificates

    /// The digests of the certificate, as `find-certificate -Z` prints them.
    var hashes: String {
        guard let certificate else { return "" }
        return """
            SHA-256 hash: \(BlobText.digits(certificate.sha256Digest))
            SHA-1 hash: \(BlobText.digits(certificate.sha1Digest))

            """
    }

    var pem: String {
        get throws(Failure) {
            guard let certificate else { throw .status(.undecodable, step: "SecItemExport") }
            return PEMBlock(label: "CERTIFICATE", bytes: certificate.der).text
        }
    }

    // MARK: Dumps

    /// The bytes of the item; `nil` for a key that is not extractable, or if ``object`` is `nil`.
    private var value: Data? {
        guard case .key(let key) = object else { return certificate?.der }
        return isExtractable ? key.storedValue.data : nil
    }

    /// The attribute block, optionally with the data and the access control.
    func dump(keychain: String, withData: Bool, withAccess: Bool) -> String {
        var text = block(keychain: keychain)
        if withData { text += "data:\n\(value.map { BlobText.quoted($0) } ?? "<NULL>")\n" }
        if withAccess { text += ListedItem(found: found).access() }
        return text
    }

    /// The JSON object of a key or certificate, as `CommandLine.md` documents it.
    func json(withData: Bool) -> JSONText {
        ListedItem(found: found).json(value: withData ? value.map { Array($0) } : nil)
    }
}
