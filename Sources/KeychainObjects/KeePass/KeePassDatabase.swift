// SPDX-License-Identifier: Apache-2.0

#if KeePass
import Crypto
import FoundationEssentials
#endif

/// The entries of a KeePass database of version 4 (KDBX 4).
///
/// Source: https://keepass.info/help/kb/kdbx.html
package struct KeePassDatabase: Sendable {
    package struct Entry: Sendable {
        package struct Field: Sendable {
            package let name: String
            package let value: String
            /// Whether KeePass hides the value.
            package let isProtected: Bool
        }

        package internal(set) var fields: [Field] = []
        /// The names of the groups that contain the entry, outermost first, without the root group.
        package internal(set) var groups: [String] = []
        /// The date from which the entry should no longer be used, in seconds since 2001-01-01 00:00 UTC.
        ///
        /// It is `nil` if the entry does not expire.
        package internal(set) var expiry: Double?

        /// The value of a field; empty without the field.
        package func value(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
    }

    package internal(set) var entries: [Entry] = []
    /// The number of earlier versions of entries, which are not in ``entries``.
    package internal(set) var earlierVersions = 0
    /// The number of entries in the recycle bin, which are not in ``entries``.
    package internal(set) var recycled = 0
    /// The number of files attached to entries, without those of earlier versions.
    package internal(set) var attachments = 0

    /// The maximum size of the decrypted and decompressed contents in bytes.
    package static let maximumContents = 128 << 20

    init() {}

    /// Decrypts a database.
    ///
    /// - Parameters:
    ///   - file: The contents of the file.
    ///   - password: The password; if it is empty and there is a key file, the key file alone opens the database.
    ///   - keyFile: The contents of the key file; `nil` without a key file.
    ///   - limit: The maximum size of the decrypted and decompressed contents in bytes.
    /// - Throws: A ``KeePassError`` with the reason; ``KeePassError/wrongKey`` if the password or key file is wrong.
    package init(
        _ file: [UInt8],
        password: [UInt8],
        keyFile: [UInt8]?,
        limit: Int = maximumContents
    ) throws(KeePassError) {
        #if KeePass
        let header = try KeePassHeader(file)
        let composite = try KeePassKey.composite(password: password, keyFile: keyFile)
        let derived = try header.derivation.derive(composite)
        self = try Self.contents(of: header, in: file, derived, limit)
        #else
        throw .traitDisabled
        #endif
    }

    #if KeePass
    private static func contents(
        of header: KeePassHeader,
        in file: [UInt8],
        _ derived: [UInt8],
        _ limit: Int
    ) throws(KeePassError) -> Self {
        let blocks = KeePassBlocks(seed: header.seed, derived: derived)
        var reader = LittleEndianReader(file[header.count...])
        let (digest, code) = (try reader.take(32), try reader.take(32))
        guard SHA256.hash(data: file[..<header.count]) == digest else { throw .damaged }
        guard blocks.authenticates(header: file[..<header.count], code) else { throw .wrongKey }
        let key = SymmetricKey(data: SHA256.hash(data: header.seed + derived))
        var contents = try header.cipher.decrypt(blocks.read(&reader), key: key, nonce: header.nonce)
        if header.isCompressed { contents = try GzipData.decompress(contents, limit: limit) }
        guard contents.count <= limit else { throw .tooLarge }
        return try Self(contents: contents)
    }

    /// Parses the decrypted contents: the inner header, and an XML document.
    init(contents: [UInt8]) throws(KeePassError) {
        var reader = LittleEndianReader(contents[...])
        var (kind, key) = (UInt32(0), [UInt8]())
        while let field = try reader.field() {
            switch field.identifier {
            case 1:
                var value = LittleEndianReader(field.value)
                kind = try value.number(UInt32.self)
            case 2: key = Array(field.value)
            default: break
            }
        }
        self = try KeePassDocument.parse(reader.rest, KeePassStream(kind: kind, key: key))
    }
    #endif
}
