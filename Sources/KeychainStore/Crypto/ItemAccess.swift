// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
package import KeychainModel

/// The constraints of an item, as they are sealed with it, and what wraps its keys by them.
package struct ItemAccess: Sendable {
    /// How an application password is told right from wrong.
    struct PasswordCheck: Sendable {
        let cost: PasscodeCost
        let salt: Bytes32
        let check: Bytes32
    }

    package let control: AccessControl
    /// The public key that the item is sealed for; zero where no person is needed.
    let recipient: Bytes16
    /// The digest of the fingers enrolled, where the item is bound to them; else zero.
    let enrolled: Bytes32
    let password: PasswordCheck?

    private static let encoding: UInt8 = 1
    static let byteCount = 128
}

/// `encoding 1 | protection 1 | log2 of N 1 | zeros 5 | flags 8 | recipient 16 | enrolled 32 | salt 32 | check 32`.
extension ItemAccess {
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(Self.encoding)
        writer.append(control.protection.rawValue)
        writer.append(password?.cost.doublings ?? 0)
        writer.append(zeros: 5)
        writer.append(control.flags)
        writer.append(recipient)
        writer.append(enrolled)
        writer.append(password?.salt ?? .zero)
        writer.append(password?.check ?? .zero)
        return writer.bytes
    }

    /// What the contexts of the item's records carry.
    var digest: Bytes32 { Bytes32(sha256: bytes) }

    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = unsafe ByteReader(bytes)
        guard reader.number() == Self.encoding, let number: UInt8 = reader.number(),
            let protection = ProtectionClass(rawValue: number), let doublings: UInt8 = reader.number(),
            let _: UInt8 = reader.number(), let _: UInt32 = reader.number(),
            let flags: UInt64 = reader.number(),
            let recipient = reader.bytes16(), let enrolled = reader.bytes32(), let salt = reader.bytes32(),
            let check = reader.bytes32()
        else { return nil }
        control = AccessControl(protection: protection, flags: flags)
        self.recipient = recipient
        self.enrolled = enrolled
        guard control.needsApplicationPassword else {
            password = nil
            return
        }
        guard (1...PasscodeCost.ceiling.doublings).contains(doublings) else { return nil }
        password = PasswordCheck(cost: PasscodeCost(doublings: doublings), salt: salt, check: check)
    }
}

/// What opens an item's inner wraps, and makes new ones of the same kind.
package struct AccessOpener: Sendable {
    package let access: ItemAccess
    fileprivate let passwordKey: SymmetricKey?
    fileprivate let recipient: AccessRecipient?
    fileprivate let key: AccessControlKey?
}

extension AccessOpener {
    /// How many bytes the key of a record has inside the class key's wrap.
    static func wrappedCount(_ access: ItemAccess?) -> Int {
        guard let access else { return 32 }
        return 32 + (access.control.needsApplicationPassword ? Sealing.overhead : 0)
            + (access.control.needsPerson ? AccessRecipient.overhead : 0)
    }

    /// Constraints for an item that is new, or that gets others; `nil` where there are none.
    ///
    /// - Throws: `authenticationNeeded` where the application password, or the key to seal for, is not at hand;
    ///   `authenticationFailed` where only those enrolled could open it, and nobody is.
    package init?(
        new control: AccessControl,
        for recipient: AccessRecipient?,
        _ credential: Credential,
        with keys: StoreKeys
    ) throws(StatusError) {
        guard control.isConstrained else { return nil }
        if control.needsPerson, recipient == nil { throw control.authenticationNeeded }
        let enrolled = control.isBoundToEnrolledSet ? credential.finger.enrolled : nil
        if control.isBoundToEnrolledSet, enrolled == nil, !control.isSatisfied(by: [.passcode, .finger]) {
            throw StatusError(.authenticationFailed, .constraintUnsatisfiable, attribute: .accessControl)
        }
        var check: ItemAccess.PasswordCheck?
        var passwordKey: SymmetricKey?
        if control.needsApplicationPassword {
            guard let password = credential.applicationPassword else { throw control.authenticationNeeded }
            let salt = Bytes32.random()
            let key = try password.key(salt: salt, cost: .floor, with: keys)
            passwordKey = key
            check = .init(cost: .floor, salt: salt, check: Self.check(of: key, salt, keys))
        }
        access = ItemAccess(
            control: control,
            recipient: control.needsPerson ? recipient?.identifier ?? .zero : .zero,
            enrolled: enrolled ?? .zero,
            password: check
        )
        self.passwordKey = passwordKey
        self.recipient = recipient
        key = nil
    }

    /// What a credential makes of an item's constraints: the one place that decides whether they are satisfied.
    ///
    /// `heldKey` is the finger's key while the keychain is unlocked.
    ///
    /// - Throws: `authenticationNeeded` with the constraints; `authenticationFailed` for a wrong application password;
    ///   `interactionNotAllowed` where only a finger would open it and its key is locked; `itemNotFound` where only
    ///   fingers would that are enrolled no more.
    init(
        _ access: ItemAccess,
        satisfiedBy credential: Credential,
        with keys: StoreKeys,
        heldKey: () -> AccessControlKey? = { nil }
    ) throws(StatusError) {
        let control = access.control
        let person = PersonCheck(access, credential, keys.store)
        let key = control.needsPerson ? try person.key(heldKey) : nil
        var passwordKey: SymmetricKey?
        if let password = access.password {
            guard let supplied = credential.applicationPassword else { throw control.authenticationNeeded }
            let key = try supplied.key(salt: password.salt, cost: password.cost, with: keys)
            guard SymmetricKey(Self.check(of: key, password.salt, keys)) == SymmetricKey(password.check)
            else {
                throw StatusError(.authenticationFailed, .applicationPasswordWrong)
            }
            passwordKey = key
        }
        self.access = access
        self.passwordKey = passwordKey
        self.key = key
        recipient = key?.recipient
    }

    /// Wraps the key of a record; what comes out goes under the class key.
    func wrap(_ key: SymmetricKey, context: [UInt8]) throws(StatusError) -> Data {
        var plain = unsafe key.withUnsafeBytes { unsafe Data($0) }
        defer { plain.wipe() }
        guard let passwordKey else { return try seal(plain, context) }
        let sealed = try Sealing.seal(plain, under: passwordKey, context: context)
        return access.control.needsPerson ? try seal(sealed, context) : sealed
    }

    private func seal(_ plain: Data, _ context: [UInt8]) throws(StatusError) -> Data {
        guard let recipient else { throw access.control.authenticationNeeded }
        return try recipient.seal(plain, context: context)
    }

    func unwrap(_ wrapped: Data, context: [UInt8]) throws(StatusError) -> SymmetricKey {
        var plain = wrapped
        defer { plain.wipe() }
        if access.control.needsPerson {
            guard let key else { throw access.control.authenticationNeeded }
            plain = try AccessRecipient.open(plain, under: key, context: context)
        }
        if let passwordKey {
            plain = try Sealing.open(plain, under: passwordKey, context: context, orThrow: .recordDamaged)
        }
        return SymmetricKey(data: plain)
    }

    /// What commits to the key of an application password.
    private static func check(of key: SymmetricKey, _ salt: Bytes32, _ keys: StoreKeys) -> Bytes32 {
        var message = ByteWriter(capacity: 80)
        message.append("lkc/1/application")
        message.append(keys.store)
        message.append(salt)
        return KeyedDigest(key: key).digest(of: message.bytes)
    }
}
