// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The constraints of an item's access control, encrypted in the item's row.
package struct ItemAccess: Sendable {
    /// The keys that wrap the item's own key, in addition to the class key.
    ///
    /// If the set is empty, the item has no key of its own.
    struct Wrapping: OptionSet, Sendable {
        let rawValue: UInt8

        static let passcode = Self(rawValue: 1)
        static let applicationPassword = Self(rawValue: 2)
    }

    /// The salt, cost and check value that verify an item's application password.
    struct PasswordCheck: Sendable {
        let derivation: KeyDerivation
        let check: Bytes32
    }

    package let control: AccessControl
    let wrapping: Wrapping
    /// The identifier of the ``RecipientPublicKey`` that the store had when the item got its access control.
    ///
    /// It is zero if the constraints require no user authentication.
    let recipient: Bytes16
    /// The digest of the enrolled finger set if the item is bound to it; otherwise zero.
    let enrolled: Bytes32
    let password: PasswordCheck?

    private static let encoding: UInt8 = 1
    static let byteCount = 112
}

/// The encoding: `encoding 1 | protection 1 | wrapping 1 | passes 1 | log2 of KiB 1 | zeros 3 | flags 8 |
/// recipient 16 | enrolled 32 | salt 16 | check 32`.
extension ItemAccess {
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(Self.encoding)
        writer.append(control.protection.rawValue)
        writer.append(wrapping.rawValue)
        writer.append(password?.derivation.cost.passes ?? 0)
        writer.append(password?.derivation.cost.doublings ?? 0)
        writer.append(zeros: 3)
        writer.append(control.flags)
        writer.append(recipient)
        writer.append(enrolled)
        writer.append(password?.derivation.salt ?? .zero)
        writer.append(password?.check ?? .zero)
        return writer.bytes
    }

    /// The digest of the encoded constraints; it is part of the associated data of the item's ciphertexts.
    var digest: Bytes32 { Bytes32(digestOf: bytes) }

    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = unsafe ByteReader(bytes)
        guard reader.number() == Self.encoding, let number: UInt8 = reader.number(),
            let protection = ProtectionClass(rawValue: number), let wrapping: UInt8 = reader.number(),
            let passes: UInt8 = reader.number(), let doublings: UInt8 = reader.number(),
            let _: UInt8 = reader.number(), let _: UInt16 = reader.number(),
            let flags: UInt64 = reader.number(), let recipient = reader.bytes16(),
            let enrolled = reader.bytes32(), let salt = reader.bytes16(), let check = reader.bytes32()
        else { return nil }
        control = AccessControl(protection: protection, flags: flags)
        self.wrapping = Wrapping(rawValue: wrapping)
        self.recipient = recipient
        self.enrolled = enrolled
        guard control.needsApplicationPassword else {
            password = nil
            return
        }
        guard let cost = PasscodeCost(passes: passes, doublings: doublings) else { return nil }
        password = PasswordCheck(derivation: KeyDerivation(salt: salt, cost: cost), check: check)
    }
}

/// Wraps and unwraps an item's own key, after the item's constraints were checked.
package struct ItemKeyWrapper: Sendable {
    package let access: ItemAccess
    fileprivate let passwordKey: SecretKey?
    fileprivate let recipient: RecipientPublicKey?
    fileprivate let key: AccessControlKey?

    /// Creates the wrapper for a new access control; `nil` if the access control has no constraints.
    ///
    /// - Throws: `authenticationNeeded` if the application password or the recipient public key is missing;
    ///   `authenticationFailed` if only enrolled fingers could open the item and none is enrolled;
    ///   `missingEntitlement` if the ``CallerLevel`` is below the minimum that the access control requires; an internal
    ///   error if ``ApplicationPassword/deriveMissing(with:)`` must derive a key first.
    package init?(
        new control: AccessControl,
        for recipient: RecipientPublicKey?,
        _ credential: Credential,
        with keys: StoreKeys
    ) throws(StatusError) {
        guard control.isConstrained else { return nil }
        // A program must not create an item that it could not use itself.
        guard control.minimumLevel <= credential.level else { throw Self.levelTooLow }
        if control.needsUserAuthentication, recipient == nil { throw control.authenticationNeeded }
        let enrolled = control.isBoundToEnrolledSet ? credential.finger.enrolled : nil
        if control.isBoundToEnrolledSet, enrolled == nil, !control.isSatisfied(by: [.passcode, .finger]) {
            throw StatusError(.authenticationFailed, .constraintUnsatisfiable, attribute: .accessControl)
        }
        var wrapping: ItemAccess.Wrapping = []
        // A recognized finger yields no key. If a finger alone may open the item, the item's key must therefore not
        // be wrapped for the passcode. Then only the check of the sensor's result ensures that the user is present.
        let isForFinger = control.isOpenedByFinger(whereEnrolled: credential.finger.enrolled != nil)
        if control.needsUserAuthentication, !isForFinger { wrapping.insert(.passcode) }
        var check: ItemAccess.PasswordCheck?
        var passwordKey: SecretKey?
        if control.needsApplicationPassword {
            guard let password = credential.applicationPassword else { throw control.authenticationNeeded }
            let (derivation, key) = try password.newKey(for: keys.store)
            wrapping.insert(.applicationPassword)
            passwordKey = key
            check = .init(derivation: derivation, check: Self.check(of: key))
        }
        access = ItemAccess(
            control: control,
            wrapping: wrapping,
            recipient: control.needsUserAuthentication ? recipient?.identifier ?? .zero : .zero,
            enrolled: enrolled ?? .zero,
            password: check
        )
        self.passwordKey = passwordKey
        self.recipient = recipient
        key = nil
    }

    /// Creates the wrapper of an item if the credential satisfies the item's constraints.
    ///
    /// Only this initializer and ``UserProofCheck``, which it calls, decide whether constraints are satisfied.
    ///
    /// - Throws: `missingEntitlement` if the ``CallerLevel`` is below the minimum that the item requires;
    ///   `authenticationNeeded` with the constraints if the credential does not satisfy them; `authenticationFailed`
    ///   for a wrong application password; `itemNotFound` if the item requires fingers that are no longer enrolled;
    ///   an internal error if ``ApplicationPassword/deriveMissing(with:)`` must derive a key first.
    init(
        _ access: ItemAccess,
        satisfiedBy credential: Credential,
        with keys: StoreKeys
    ) throws(StatusError) {
        let control = access.control
        guard control.minimumLevel <= credential.level else { throw Self.levelTooLow }
        let key =
            control.needsUserAuthentication ? try UserProofCheck(access, credential, keys.store).key() : nil
        var passwordKey: SecretKey?
        if let password = access.password {
            guard let supplied = credential.applicationPassword else { throw control.authenticationNeeded }
            let key = try supplied.key(password.derivation, for: keys.store)
            guard SecretKey(Self.check(of: key)) == SecretKey(password.check) else {
                throw StatusError(.authenticationFailed, .applicationPasswordWrong)
            }
            passwordKey = key
        }
        self.access = access
        self.passwordKey = passwordKey
        self.key = key
        recipient = key?.recipient
    }

    private static let levelTooLow = StatusError(
        .missingEntitlement,
        .callerLevelTooLow,
        attribute: .accessControl
    )

    /// Computes the key check value of an application password's key.
    private static func check(of key: SecretKey) -> Bytes32 {
        KeyedDigest(key: key).digest(of: Array("application password check".utf8))
    }
}

// The item's own key is wrapped in this order: with the application password's key if the item requires the password,
// for the recipient public key if it requires the passcode, and always with the class key.
extension ItemKeyWrapper {
    /// The size of an item's own key in wrapped form; 0 if the item has no key of its own.
    static func wrappedKeyCount(_ access: ItemAccess?) -> Int {
        guard let wrapping = access?.wrapping, !wrapping.isEmpty else { return 0 }
        return Sealing.wrappedKeyCount
            + (wrapping.contains(.applicationPassword) ? Sealing.overhead : 0)
            + (wrapping.contains(.passcode) ? RecipientPublicKey.overhead : 0)
    }

    func wrap(
        _ itemKey: SecretKey,
        under classKey: SecretKey,
        _ data: ItemAssociatedData
    ) throws(StatusError) -> [UInt8] {
        var plain = unsafe itemKey.withBytes { unsafe Array($0) }
        defer { plain.wipe() }
        let inner = data(.innerItemKey)
        if access.wrapping.contains(.applicationPassword) {
            guard let passwordKey else { throw access.control.authenticationNeeded }
            let sealed = Sealing.seal(plain, under: passwordKey, associatedData: inner)
            plain.wipe()
            plain = sealed
        }
        if access.wrapping.contains(.passcode) {
            guard let recipient else { throw access.control.authenticationNeeded }
            let sealed = try recipient.seal(plain, associatedData: inner)
            plain.wipe()
            plain = sealed
        }
        return Sealing.seal(plain, under: classKey, associatedData: data(.itemKey))
    }

    func unwrap(
        _ wrapped: ArraySlice<UInt8>,
        under classKey: SecretKey,
        _ data: ItemAssociatedData
    ) throws(StatusError) -> SecretKey {
        var plain = try Sealing.open(
            wrapped,
            under: classKey,
            associatedData: data(.itemKey),
            orThrow: .recordDamaged
        )
        defer { plain.wipe() }
        return try unwrap(inner: plain, associatedData: data(.innerItemKey))
    }

    func unwrap(inner: [UInt8], associatedData: [UInt8]) throws(StatusError) -> SecretKey {
        var plain = inner
        defer { plain.wipe() }
        if access.wrapping.contains(.passcode) {
            guard let key else { throw access.control.authenticationNeeded }
            plain = try RecipientPublicKey.open(plain, under: key, associatedData: associatedData)
        }
        if access.wrapping.contains(.applicationPassword) {
            guard let passwordKey else { throw access.control.authenticationNeeded }
            plain = try Sealing.open(
                plain,
                under: passwordKey,
                associatedData: associatedData,
                orThrow: .recordDamaged
            )
        }
        guard let key = unsafe plain.withUnsafeBytes({ unsafe SecretKey(copying: $0) }) else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return key
    }
}
