// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// How keys and certificates are shown.
extension StoredObject {
    /// The attribute block of macOS's `security`.
    func block(keychain: String) -> String {
        let number: UInt32 =
            switch objectClass {
            case .key: classNumber
            case .certificate, .identity: 0x8000_1000
            }
        let rows = objectClass == .key ? Self.keyRows : Self.certificateRows
        var shown = attributes
        shown[Self.classRow] = Int(classNumber)
        // A key without dates has that of the beginning of time as the system counts it.
        for name in [kSecAttrStartDate, kSecAttrEndDate] as [CFString] {
            let date = shown[name as String] as? Date
            if date?.timeIntervalSinceReferenceDate == 0 { shown[name as String] = nil }
        }
        return """
            keychain: \(BlobText.quoted(keychain.utf8))
            version: \(objectClass == .key ? 512 : 256)
            class: \(BlobText.quoted(number: number))
            attributes:
            \(rows.map { "    \($0.text(of: shown[$0.attribute]))\n" }.joined())
            """
    }

    /// The number by which macOS knows the kind of key.
    private var classNumber: UInt32 { keyClass == Self.privateClass ? 0x10 : 0x0f }

    private static let classRow = "class"

    private static let certificateRows: [AttributeRow] = [
        row("\"alis\"", kSecAttrAlias, .blob),
        row("\"cenc\"", kSecAttrCertificateEncoding, .uint32),
        row("\"ctyp\"", kSecAttrCertificateType, .uint32),
        row("\"hpky\"", kSecAttrPublicKeyHash, .blob),
        row("\"issu\"", kSecAttrIssuer, .blob),
        row("\"labl\"", kSecAttrLabel, .blob),
        row("\"skid\"", kSecAttrSubjectKeyID, .blob),
        row("\"snbr\"", kSecAttrSerialNumber, .blob),
        row("\"subj\"", kSecAttrSubject, .blob),
    ]

    /// The attributes of keys have numbers: their places in this list.
    private static let keyRows: [AttributeRow] = {
        let attributes: [(CFString, AttributeRow.Format)] = [
            (NSString(string: classRow), .uint32), (kSecAttrLabel, .blob), (kSecAttrAlias, .blob),
            (kSecAttrIsPermanent, .uint32), (kSecAttrIsPrivate, .uint32), (kSecAttrIsModifiable, .uint32),
            (kSecAttrApplicationLabel, .blob), (kSecAttrApplicationTag, .blob), (kSecAttrKeyCreator, .blob),
            (kSecAttrKeyType, .uint32), (kSecAttrKeySizeInBits, .uint32), (kSecAttrEffectiveKeySize, .uint32),
            (kSecAttrStartDate, .blob), (kSecAttrEndDate, .blob), (kSecAttrIsSensitive, .uint32),
            (kSecAttrWasAlwaysSensitive, .uint32), (kSecAttrIsExtractable, .uint32),
            (kSecAttrWasNeverExtractable, .uint32), (kSecAttrCanEncrypt, .uint32),
            (kSecAttrCanDecrypt, .uint32), (kSecAttrCanDerive, .uint32), (kSecAttrCanSign, .uint32),
            (kSecAttrCanVerify, .uint32), (kSecAttrCanSignRecover, .uint32),
            (kSecAttrCanVerifyRecover, .uint32), (kSecAttrCanWrap, .uint32), (kSecAttrCanUnwrap, .uint32),
        ]
        return attributes.enumerated().map { place, attribute in
            let digits = String(place, radix: 16, uppercase: true)
            let tag = "0x" + String(repeating: "0", count: 8 - digits.count) + digits + " "
            return row(tag, attribute.0, attribute.1)
        }
    }()

    private static func row(_ tag: String, _ name: CFString, _ format: AttributeRow.Format) -> AttributeRow {
        AttributeRow(tag: tag, attribute: name as String, format: format, classes: [])
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

    /// The certificate in PEM.
    var pem: String {
        get throws(Failure) {
            guard let certificate else { throw .status(errSecDecode, step: "SecItemExport") }
            var data: CFData?
            let status = unsafe SecItemExport(certificate, .formatX509Cert, .pemArmour, nil, &data)
            try KeychainCalls.check(status, "SecItemExport")
            guard let data else { throw .status(errSecDecode, step: "SecItemExport") }
            return String(decoding: Data(referencing: data), as: UTF8.self)
        }
    }

    // MARK: Dumps

    /// What the item holds; nothing of a key that is not to leave the keychain.
    private var value: Data? {
        guard let object = exportable else { return nil }
        if let key = object as? SecKey {
            guard isExtractable else { return nil }
            return SecKeyCopyExternalRepresentation(key, nil).map { Data(referencing: $0) }
        }
        return certificate.map { Data(referencing: SecCertificateCopyData($0)) }
    }

    /// The block, and as asked for the data and who may open it.
    func dump(keychain: String, withData: Bool, withAccess: Bool) -> String {
        var text = block(keychain: keychain)
        if withData { text += "data:\n\(value.map { BlobText.quoted($0) } ?? "<NULL>")\n" }
        if withAccess { text += ListedItem.access(attributes) }
        return text
    }

    /// The documented object, as for passwords.
    func json(withData: Bool) -> JSONText {
        ListedItem.json(
            itemClass: objectClass.constant as String,
            attributes: attributes.filter {
                $0.key != kSecClass as String && $0.key != kSecValueRef as String
            },
            value: withData ? value : nil
        )
    }
}
