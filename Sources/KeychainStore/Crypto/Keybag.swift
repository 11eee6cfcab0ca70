// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import KeychainModel

/// The key of one protection class, split by purpose.
package struct ClassKey: Sendable {
    /// The number that records carry.
    package let number: UInt32
    let attributes: SymmetricKey
    let secrets: SymmetricKey

    init(number: UInt32, key: SymmetricKey) {
        self.number = number
        attributes = HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array("meta".utf8), outputByteCount: 32)
        secrets = HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array("secret".utf8), outputByteCount: 32)
        for key in [attributes, secrets] { unsafe key.withUnsafeBytes { unsafe SecretBytes.pin($0) } }
    }
}

/// The set of wrapped class keys, and those of them that are unwrapped.
///
/// There is no flag that says *locked*: a class is locked when its key is not here.
package struct Keybag: Sendable {
    enum WrappingKey: UInt8 { case device = 1, passcode = 2 }

    struct Entry: Sendable {
        let protection: ProtectionClass
        let number: UInt32
        let wrappedBy: WrappingKey
        let box: Data
    }

    private static let magic = "LKCK"
    private static let version: UInt8 = 1
    private static let wrappedKeyCount = 32 + Sealing.overhead

    let passcode: PasscodeDerivation
    let entries: [Entry]
    let keys: StoreKeys
    /// Where keys that a passcode wraps come from once it has unwrapped them.
    private var source: UnlockedKeySource?
    /// The class keys unwrapped so far, by the class's number; index 0 is unused.
    private var classKeys: [ClassKey?] = Array(repeating: nil, count: 1 + ProtectionClass.allCases.count)
    /// When the keys that came from a key cache have to go.
    private var limit: AutoLock?

    /// Whether some class needs a passcode to be unlocked.
    package var passcodeIsSet: Bool { !passcode.isNone }

    /// How the passcode becomes a key; `nil` where none is set.
    package var derivation: PasscodeDerivation? { passcodeIsSet ? passcode : nil }

    /// The key of a protection class.
    ///
    /// - Throws: `authenticationFailed` where the class needs a passcode and none is set; `interactionNotAllowed` where
    ///   the class is locked; `undecodable` where the keybag is damaged.
    package mutating func classKey(for protection: ProtectionClass) throws(StatusError) -> ClassKey {
        let index = Int(protection.rawValue)
        if let key = classKeys[index], limit == nil || !isOver(for: protection) { return key }
        guard let entry = entries.first(where: { $0.protection == protection }) else {
            throw protection.rule.needsPasscode && !passcodeIsSet
                ? StatusError(.authenticationFailed, .passcodeNotSet)
                : StatusError(.interactionNotAllowed, .classKeyAbsent)
        }
        let key =
            switch entry.wrappedBy {
            case .device: try unwrap(entry, under: keys.keyEncryption)
            case .passcode: try takeFromHolder(protection)
            }
        let classKey = ClassKey(number: entry.number, key: key)
        classKeys[index] = classKey
        return classKey
    }

    /// Whether the time of a class that must not outlast the unlocked state is over; its keys are forgotten then.
    private mutating func isOver(for protection: ProtectionClass) -> Bool {
        guard let limit, let source, protection.rule.available == .unlocked, limit.isOver(by: source.clock)
        else {
            return false
        }
        for rule in ProtectionRule.table where rule.available == .unlocked {
            classKeys[Int(rule.protection.rawValue)] = nil
        }
        self.limit = nil
        return true
    }

    private mutating func takeFromHolder(_ protection: ProtectionClass) throws(StatusError) -> SymmetricKey {
        guard let source, let slot = UnlockedKeys.Slot(protection),
            let found = source.keys(in: slot, with: keys),
            let key = found.keys[protection]
        else { throw StatusError(.interactionNotAllowed, .classKeyAbsent) }
        if slot == .unlocked { limit = found.limit.isNone ? nil : found.limit }
        return key
    }

    /// The key of items that a finger opens, as long as the keychain is unlocked; it is in no cache.
    package func fingerKey() -> AccessControlKey? {
        guard let seed = source?.keys(in: .unlocked, with: keys)?.finger else { return nil }
        return try? AccessControlKey(store: keys.store, key: seed)
    }

    /// Binds the keybag to a lock state; what another state had unlocked is forgotten.
    package mutating func bind(to source: UnlockedKeySource?) {
        defer { self.source = source }
        guard source?.state != self.source?.state else { return }
        for entry in entries where entry.wrappedBy == .passcode {
            classKeys[Int(entry.protection.rawValue)] = nil
        }
        limit = nil
    }

    func unwrap(_ entry: Entry, under key: SymmetricKey) throws(StatusError) -> SymmetricKey {
        try Sealing.unwrap(
            entry.box,
            under: key,
            context: Self.context(entry.protection, number: entry.number, store: keys.store),
            orThrow: .keybagDamaged
        )
    }

    func wrap(
        _ key: SymmetricKey,
        of protection: ProtectionClass,
        number: UInt32,
        under wrappingKey: SymmetricKey,
        _ wrappedBy: WrappingKey
    ) throws(StatusError) -> Entry {
        let context = Self.context(protection, number: number, store: keys.store)
        let box = try Sealing.wrap(key, under: wrappingKey, context: context)
        return Entry(protection: protection, number: number, wrappedBy: wrappedBy, box: box)
    }
}

extension Keybag {
    /// Draws the class keys of a new store: one for each class that needs no passcode.
    package static func random(with keys: StoreKeys) throws(StatusError) -> Self {
        var entries: [Entry] = []
        for rule in ProtectionRule.table where !rule.needsPasscode {
            let number = UInt32(rule.protection.rawValue)
            let key = try Sealing.randomKey()
            let context = Self.context(rule.protection, number: number, store: keys.store)
            let box = try Sealing.wrap(key, under: keys.keyEncryption, context: context)
            entries.append(Entry(protection: rule.protection, number: number, wrappedBy: .device, box: box))
        }
        return Self(passcode: .none, entries: entries, keys: keys)
    }

    init(passcode: PasscodeDerivation, entries: [Entry], keys: StoreKeys) {
        self.passcode = passcode
        self.entries = entries
        self.keys = keys
    }

    private static func context(_ protection: ProtectionClass, number: UInt32, store: Bytes16) -> [UInt8] {
        var context = ByteWriter(capacity: 40)
        context.append("lkc/1/class")
        context.append(store)
        context.append(protection.rawValue)
        context.append(number)
        context.append(Suite.one.rawValue)
        return context.bytes
    }
}

/// `magic 4 | version 1 | suite 1 | count 1 | 0 | passcode derivation 72 | entries of 66 bytes`.
extension Keybag {
    package var page: Data {
        var page = ByteWriter(capacity: 80 + entries.count * 66)
        page.append(Self.magic)
        page.append(Self.version)
        page.append(Suite.one.rawValue)
        page.append(UInt8(clamping: entries.count))
        page.append(zeros: 1)
        page.append(passcode.bytes)
        for entry in entries {
            page.append(entry.protection.rawValue)
            page.append(entry.wrappedBy.rawValue)
            page.append(entry.number)
            page.append(entry.box)
        }
        return Data(page.bytes)
    }

    /// Reads the keybag's page, which the header vouches for.
    ///
    /// - Throws: `undecodable` with `keybagDamaged`.
    package init(
        opening page: Data,
        vouchedBy header: StoreHeader,
        with keys: StoreKeys
    ) throws(StatusError) {
        guard Bytes32(sha256: page) == header.keybagDigest,
            let (passcode, entries) = unsafe page.withUnsafeBytes({ unsafe Self.parse($0) })
        else { throw StatusError(.undecodable, .keybagDamaged) }
        self.init(passcode: passcode, entries: entries, keys: keys)
    }

    private static func parse(_ page: UnsafeRawBufferPointer) -> (PasscodeDerivation, [Entry])? {
        var reader = unsafe ByteReader(page)
        guard let magic = unsafe reader.take(4), unsafe magic.elementsEqual(Self.magic.utf8),
            reader.number() == version, reader.number() == Suite.one.rawValue,
            let count: UInt8 = reader.number(), let _: UInt8 = reader.number(),
            let derivation = unsafe reader.take(PasscodeDerivation.byteCount)
        else { return nil }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard let code: UInt8 = reader.number(), let protection = ProtectionClass(rawValue: code),
                let wrapping: UInt8 = reader.number(), let wrappedBy = WrappingKey(rawValue: wrapping),
                let number: UInt32 = reader.number(), let box = reader.data(wrappedKeyCount)
            else { return nil }
            entries.append(Entry(protection: protection, number: number, wrappedBy: wrappedBy, box: box))
        }
        return unsafe (PasscodeDerivation(bytes: Array(derivation)), entries)
    }
}
