// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension ItemSealer {
    /// Encrypts a row again, under the current key of its protection class; the version stays the same.
    ///
    /// This needs no credential. If an item has a key of its own, the class key encrypts only the access control
    /// and the outermost layer around the item's key; the encrypted attributes and value stay as they are.
    ///
    /// - Throws: Errors of ``KeySession/classKey(for:_:)``; `undecodable` with `recordDamaged`.
    func resealed(_ row: ItemRow, with classKeys: KeySession) throws(StatusError) -> ItemRow {
        let old = try classKeys.classKey(for: row.columns)
        let new = try classKeys.classKey(for: row.columns.protection)
        let access = try access(of: row, old)
        let record = try AttributesRecord(row.attributes, access)
        let data = ItemAssociatedData(row.columns, access: access)
        var resealed = row
        resealed.columns.keyParity = classKeys.keybag.parity
        var prefix = [AttributesRecord.suite(access)]
        if let access {
            let data = ItemAssociatedData(row.columns)(.accessControl)
            prefix += Sealing.seal(access.bytes, under: new.attributes, associatedData: data)
        }
        if record.wrappedKey.isEmpty {
            let sealed = try reseal(record.box, row.secret, access, data, from: old, to: new)
            resealed.attributes = prefix + sealed.attributes
            resealed.secret = sealed.secret
        } else {
            resealed.attributes =
                try prefix + reseal(record.wrappedKey, as: .itemKey, data, from: old, to: new) + record.box
        }
        return resealed
    }

    private func reseal(
        _ box: ArraySlice<UInt8>,
        as role: BoxRole,
        _ data: ItemAssociatedData,
        from old: BoxKeys,
        to new: BoxKeys
    ) throws(StatusError) -> [UInt8] {
        var plain = try Sealing.open(
            box,
            under: old.attributes,
            associatedData: data(role),
            orThrow: .recordDamaged
        )
        defer { plain.wipe() }
        return Sealing.seal(plain, under: new.attributes, associatedData: data(role))
    }

    /// Encrypts the value, then the attributes, which contain the tag of the encrypted value.
    private func reseal(
        _ box: ArraySlice<UInt8>,
        _ secret: [UInt8]?,
        _ access: ItemAccess?,
        _ data: ItemAssociatedData,
        from old: BoxKeys,
        to new: BoxKeys
    ) throws(StatusError) -> (attributes: [UInt8], secret: [UInt8]?) {
        let damaged = StatusError(.undecodable, .recordDamaged)
        var plain = try Sealing.open(
            box,
            under: old.attributes,
            associatedData: data(.attributes),
            orThrow: .recordDamaged
        )
        defer { plain.wipe() }
        guard var sealed = unsafe plain.withUnsafeBytes({ unsafe SealedAttributes(decoding: $0) }),
            sealed.secretTag == secret.flatMap(SecretRecord.tag)
        else { throw damaged }
        var resealedSecret: [UInt8]?
        if let secret {
            let value = unsafe secret.withUnsafeBytes { secret in
                unsafe data.withBytes(.secret) {
                    unsafe SecretRecord.open(secret, under: old.secrets, access, $0)
                }
            }
            guard let value else { throw damaged }
            resealedSecret = try SecretRecord.seal(value, under: new.secrets, access, data)
            sealed.secretTag = resealedSecret.flatMap(SecretRecord.tag)
        }
        var encoded = sealed.encoded
        Padding.pad(&encoded)
        defer { encoded.wipe() }
        let attributes = Sealing.seal(encoded, under: new.attributes, associatedData: data(.attributes))
        return (attributes, resealedSecret)
    }
}
