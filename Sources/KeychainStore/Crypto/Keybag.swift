// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The set of wrapped class keys, and those of them that are unwrapped.
///
/// There is no flag that says *locked*: a class is locked when its key is not here.
package struct Keybag: Sendable {
    enum WrappingKey: UInt8 { case device = 1, passcode = 2 }

    struct Entry: Sendable {
        let protection: ProtectionClass
        let wrappedBy: WrappingKey
        let box: [UInt8]
    }

    private static let magic = "LKCK"
    private static let version: UInt8 = 2
    private static let entryCount = 2 + Sealing.wrappedKeyCount

    let passcode: PasscodeDerivation
    let entries: [Entry]
    let keys: StoreKeys
    /// Where keys that a passcode wraps come from once it has unwrapped them.
    private var source: UnlockedKeySource?
    /// The class keys unwrapped so far, by the class's number; index 0 is unused.
    private var classKeys: [BoxKeys?] = Array(repeating: nil, count: 1 + ProtectionClass.allCases.count)
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
    package mutating func classKey(for protection: ProtectionClass) throws(StatusError) -> BoxKeys {
        let index = Int(protection.rawValue)
        if let key = classKeys[index], limit == nil || !isOver(for: protection) { return key }
        guard let entry = entries.first(where: { $0.protection == protection }) else {
            throw protection.rule.needsPasscode && !passcodeIsSet
                ? StatusError(.authenticationFailed, .passcodeNotSet)
                : StatusError(.interactionNotAllowed, .classKeyAbsent)
        }
        let key =
            switch entry.wrappedBy {
            case .device: try unwrap(entry, under: keys.classKeyWrapping)
            case .passcode: try takeFromHolder(protection)
            }
        let classKey = BoxKeys(from: key)
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

    private mutating func takeFromHolder(_ protection: ProtectionClass) throws(StatusError) -> SecretKey {
        guard let source, let slot = UnlockedKeys.Slot(protection),
            let found = source.keys(in: slot, with: keys),
            let key = found.keys[protection]
        else { throw StatusError(.interactionNotAllowed, .classKeyAbsent) }
        if slot == .unlocked { limit = found.limit.isNone ? nil : found.limit }
        return key
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

    func unwrap(_ entry: Entry, under key: SecretKey) throws(StatusError) -> SecretKey {
        try Sealing.unwrap(
            entry.box[...],
            under: key,
            associatedData: Self.associatedData(entry.protection),
            orThrow: .keybagDamaged
        )
    }

    static func wrap(
        _ key: SecretKey,
        of protection: ProtectionClass,
        under wrappingKey: SecretKey,
        _ wrappedBy: WrappingKey
    ) -> Entry {
        let box = Sealing.wrap(key, under: wrappingKey, associatedData: associatedData(protection))
        return Entry(protection: protection, wrappedBy: wrappedBy, box: box)
    }
}

extension Keybag {
    /// Draws the class keys of a new store: one for each class that needs no passcode.
    package static func random(with keys: StoreKeys) -> Self {
        var entries: [Entry] = []
        for rule in ProtectionRule.table where !rule.needsPasscode {
            entries.append(wrap(.random(), of: rule.protection, under: keys.classKeyWrapping, .device))
        }
        return Self(passcode: .none, entries: entries, keys: keys)
    }

    init(passcode: PasscodeDerivation, entries: [Entry], keys: StoreKeys) {
        self.passcode = passcode
        self.entries = entries
        self.keys = keys
    }

    private static func associatedData(_ protection: ProtectionClass) -> [UInt8] {
        Array("class key".utf8) + [protection.rawValue]
    }
}

/// `magic 4 | version 1 | suite 1 | count 1 | 0 | passcode derivation 56 | entries of 74 bytes`.
extension Keybag {
    package var page: [UInt8] {
        var page = ByteWriter(capacity: 64 + entries.count * Self.entryCount)
        page.append(Self.magic)
        page.append(Self.version)
        page.append(Suite.one.rawValue)
        page.append(UInt8(clamping: entries.count))
        page.append(zeros: 1)
        page.append(passcode.bytes)
        for entry in entries {
            page.append(entry.protection.rawValue)
            page.append(entry.wrappedBy.rawValue)
            page.append(entry.box)
        }
        return page.bytes
    }

    /// Reads the keybag's page, which the header vouches for.
    ///
    /// - Throws: `undecodable` with `keybagDamaged`.
    package init(
        opening page: [UInt8],
        vouchedBy header: StoreHeader,
        with keys: StoreKeys
    ) throws(StatusError) {
        guard Bytes32(digestOf: page) == header.keybagDigest,
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
                let box = reader.bytes(Sealing.wrappedKeyCount)
            else { return nil }
            entries.append(Entry(protection: protection, wrappedBy: wrappedBy, box: box))
        }
        guard reader.remaining == 0 else { return nil }
        return unsafe (PasscodeDerivation(bytes: Array(derivation)), entries)
    }
}
