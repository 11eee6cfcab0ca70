// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The wrapped class keys of a store, as an immutable value.
package struct Keybag: Sendable {
    enum WrappingKey: UInt8 { case device = 1, passcode = 2 }

    struct Entry: Sendable {
        let id: ClassKeyID
        let wrappedBy: WrappingKey
        let box: [UInt8]
    }

    private static let magic = "LKCK"
    private static let version: UInt8 = 2
    private static let entryCount = 2 + Sealing.wrappedKeyCount

    let passcode: PasscodeDerivation
    /// The parity of the current class keys, which encrypt new rows; each rotation of the keys switches it.
    let parity: KeyParity
    let entries: [Entry]
    let keys: StoreKeys

    package var passcodeIsSet: Bool { !passcode.isNone }

    /// The key derivation parameters and the check value of the passcode; `nil` if no passcode is set.
    package var derivation: PasscodeDerivation? { passcodeIsSet ? passcode : nil }

    /// Unwraps a class key; throws `keybagDamaged` if the authentication tag of the entry is wrong.
    func unwrap(_ entry: Entry, under key: SecretKey) throws(StatusError) -> SecretKey {
        try Sealing.unwrap(
            entry.box[...],
            under: key,
            associatedData: Self.associatedData(entry.id),
            orThrow: .keybagDamaged
        )
    }

    static func wrap(
        _ key: SecretKey,
        of id: ClassKeyID,
        under wrappingKey: SecretKey,
        _ wrappedBy: WrappingKey
    ) -> Entry {
        let box = Sealing.wrap(key, under: wrappingKey, associatedData: associatedData(id))
        return Entry(id: id, wrappedBy: wrappedBy, box: box)
    }
}

extension Keybag {
    /// Generates the class keys of a new store, except for the class that needs a passcode.
    package static func random(with keys: StoreKeys) -> Self {
        var entries: [Entry] = []
        for rule in ProtectionRule.table where !rule.needsPasscode {
            let id = ClassKeyID(rule.protection, .even)
            entries.append(wrap(.random(), of: id, under: keys.classKeyWrapping, .device))
        }
        return Self(passcode: .none, parity: .even, entries: entries, keys: keys)
    }

    private static func associatedData(_ id: ClassKeyID) -> [UInt8] {
        Array("class key".utf8) + [id.code]
    }
}

/// The keybag page: `magic 4 | version 1 | suite 1 | count 1 | parity 1 | passcode derivation 56 |
/// entries of 74 bytes`.
extension Keybag {
    package var page: [UInt8] {
        var page = ByteWriter(capacity: 64 + entries.count * Self.entryCount)
        page.append(Self.magic)
        page.append(Self.version)
        page.append(Suite.one.rawValue)
        page.append(UInt8(clamping: entries.count))
        page.append(parity.rawValue)
        page.append(passcode.bytes)
        for entry in entries {
            page.append(entry.id.code)
            page.append(entry.wrappedBy.rawValue)
            page.append(entry.box)
        }
        return page.bytes
    }

    /// Parses the keybag page after comparing its digest with the one in the header.
    ///
    /// - Throws: `undecodable` with `keybagDamaged`.
    package init(
        opening page: [UInt8],
        digest: Bytes32,
        with keys: StoreKeys
    ) throws(StatusError) {
        guard Bytes32(digestOf: page) == digest,
            let (passcode, parity, entries) = unsafe page.withUnsafeBytes({ unsafe Self.parse($0) })
        else { throw StatusError(.undecodable, .keybagDamaged) }
        self.init(passcode: passcode, parity: parity, entries: entries, keys: keys)
    }

    private static func parse(_ page: UnsafeRawBufferPointer) -> (PasscodeDerivation, KeyParity, [Entry])? {
        var reader = unsafe ByteReader(page)
        guard let magic = unsafe reader.take(4), unsafe magic.elementsEqual(Self.magic.utf8),
            reader.number() == version, reader.number() == Suite.one.rawValue,
            let count: UInt8 = reader.number(), let number: UInt8 = reader.number(),
            let parity = KeyParity(rawValue: number),
            let derivation = unsafe reader.take(PasscodeDerivation.byteCount)
        else { return nil }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard let code: UInt8 = reader.number(), let id = ClassKeyID(code: code),
                let wrapping: UInt8 = reader.number(), let wrappedBy = WrappingKey(rawValue: wrapping),
                let box = reader.bytes(Sealing.wrappedKeyCount)
            else { return nil }
            entries.append(Entry(id: id, wrappedBy: wrappedBy, box: box))
        }
        guard reader.remaining == 0 else { return nil }
        return unsafe (PasscodeDerivation(bytes: Array(derivation)), parity, entries)
    }
}
