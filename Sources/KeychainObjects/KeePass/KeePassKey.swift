// SPDX-License-Identifier: Apache-2.0

#if KeePass
import Crypto
import FoundationEssentials

/// Combines the password and the key file of a KeePass database.
enum KeePassKey {
    static func composite(password: [UInt8], keyFile: [UInt8]?) throws(KeePassError) -> [UInt8] {
        var parts = SHA256()
        if !password.isEmpty || keyFile == nil { parts.update(data: Data(SHA256.hash(data: password))) }
        if let keyFile { parts.update(data: try key(in: keyFile)) }
        return Array(parts.finalize())
    }

    /// Returns the key in a key file.
    ///
    /// The file contains the key in XML, as 32 bytes or as 64 hexadecimal digits. The key of any other file is its
    /// SHA-256 digest.
    static func key(in file: [UInt8]) throws(KeePassError) -> [UInt8] {
        if let document = try KeyFileDocument.parse(file) { return try document.key() }
        if file.count == 32 { return file }
        if file.count == 64, let key = hexadecimal(file) { return key }
        return Array(SHA256.hash(data: file))
    }

    static func hexadecimal(_ digits: [UInt8]) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard values.count == digits.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

struct KeyFileDocument {
    private var version = ""
    private var data = ""
    private var digest = ""

    /// Parses a key file; `nil` if it is not an XML document with the root `KeyFile`.
    static func parse(_ file: [UInt8]) throws(KeePassError) -> Self? {
        var document = Self()
        var isKeyFile = false
        let isComplete = XMLEvents.parse(file[...]) { event in
            switch event {
            case .start(let path, let attributes):
                if path == ["KeyFile"] { isKeyFile = true }
                if path == ["KeyFile", "Key", "Data"] { document.digest = attributes["Hash"] ?? "" }
            case .end(["KeyFile", "Meta", "Version"], let text): document.version = text
            case .end(["KeyFile", "Key", "Data"], let text): document.data = text
            case .end: break
            }
            return true
        }
        guard isKeyFile else { return nil }
        guard isComplete else { throw .malformedKeyFile }
        return document
    }

    func key() throws(KeePassError) -> [UInt8] {
        let text = data.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard version.hasPrefix("2") else {
            guard version.hasPrefix("1"), let key = Data(base64Encoded: Data(text)), key.count == 32 else {
                throw .malformedKeyFile
            }
            return Array(key)
        }
        guard let key = KeePassKey.hexadecimal(text), key.count == 32,
            let digest = KeePassKey.hexadecimal(Array(digest.utf8)),
            digest.isEmpty || SHA256.hash(data: key).prefix(4).elementsEqual(digest)
        else { throw .malformedKeyFile }
        return key
    }
}
#endif
