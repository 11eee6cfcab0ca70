// SPDX-License-Identifier: Apache-2.0

#if KeePass
/// The unencrypted header of a KeePass database.
struct KeePassHeader {
    /// The size of the header in bytes.
    let count: Int
    let cipher: KeePassCipher
    let isCompressed: Bool
    let seed: [UInt8]
    let nonce: [UInt8]
    let derivation: KeePassDerivation

    init(_ file: [UInt8]) throws(KeePassError) {
        var reader = LittleEndianReader(file[...])
        try Self.checkVersion(&reader)
        var fields: [UInt8: ArraySlice<UInt8>] = [:]
        while let field = try reader.field() { fields[field.identifier] = field.value }
        count = file.count - reader.rest.count
        guard let identifier = fields[2], let seed = fields[4], seed.count == 32, let nonce = fields[7],
            let parameters = fields[11]
        else { throw .damaged }
        guard let cipher = KeePassCipher(identifier: identifier) else { throw .unsupportedCipher }
        guard nonce.count == cipher.nonceSize else { throw .damaged }
        var flags = LittleEndianReader(fields[3] ?? [0, 0, 0, 0])
        switch try flags.number(UInt32.self) {
        case 0: isCompressed = false
        case 1: isCompressed = true
        default: throw .damaged
        }
        self.cipher = cipher
        self.seed = Array(seed)
        self.nonce = Array(nonce)
        derivation = try KeePassDerivation(VariantDictionary(parameters))
    }

    private static func checkVersion(_ reader: inout LittleEndianReader) throws(KeePassError) {
        guard let first = try? reader.number(UInt32.self), first == 0x9AA2_D903,
            let second = try? reader.number(UInt32.self)
        else { throw .notKeePass }
        guard second != 0xB54B_FB65 else { throw .firstGeneration }
        guard second == 0xB54B_FB67 || second == 0xB54B_FB66 else { throw .notKeePass }
        _ = try reader.number(UInt16.self)
        let major = try reader.number(UInt16.self)
        guard major >= 4 else { throw .oldVersion(Int(major)) }
        guard major == 4 else { throw .newVersion(Int(major)) }
    }
}

/// A dictionary of typed values, in which the header stores the parameters of the key derivation.
struct VariantDictionary {
    private var values: [String: ArraySlice<UInt8>] = [:]

    init(_ bytes: ArraySlice<UInt8>) throws(KeePassError) {
        var reader = LittleEndianReader(bytes)
        guard try reader.number(UInt16.self) >> 8 == 1 else { throw .unsupportedDerivation }
        while try reader.number(UInt8.self) != 0 {
            let name = String(decoding: try reader.counted(), as: UTF8.self)
            values[name] = try reader.counted()
        }
    }

    func bytes(_ name: String) -> ArraySlice<UInt8>? { values[name] }

    /// Returns an integer of 4 or 8 bytes; `nil` if it is absent, has another size or does not fit into an `Int`.
    func integer(_ name: String) -> Int? {
        guard let value = values[name], value.count == 4 || value.count == 8 else { return nil }
        return Int(exactly: value.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
#endif
