// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

@testable import KeychainStore

/// Parses an item with an access control: its record, its constraints and its wrapped keys.
func fuzzConstrained(_ data: Data) {
    guard let key = AccessControlKey.ofTargets else { return }
    let proof = Credential(accessControlKey: key)
    takeApart(Array(data), for: key)
    readConstraints(data, proof)
    unwrap(data, key, proof)
}

/// Parses the bytes as an attribute record, which contains the encrypted constraints, and as a secret record,
/// which does not.
private func takeApart(_ bytes: [UInt8], for key: AccessControlKey) {
    _ = try? AttributesRecord.sealedAccess(of: bytes)
    let hasAccessControl = AttributesRecord.hasAccessControl(bytes)
    // The constraints are a finger, user presence, an application password, and the last two together.
    for flags in [1 << 1, 1, 1 << 31, 1 << 31 | 1] as [UInt64] {
        let access = ItemAccess(flags, for: key)
        if let record = try? AttributesRecord(bytes, access) {
            precondition(hasAccessControl && record.wrappedKey.count + record.box.count < bytes.count)
        }
    }
    if let record = try? AttributesRecord(bytes, nil) {
        precondition(!hasAccessControl && record.wrappedKey.isEmpty && record.box == bytes.dropFirst())
    }
    let count = bytes.withUnsafeBytes { SecretRecord.byteCount(in: $0) }
    precondition(count ?? 0 <= bytes.count)
}

private func readConstraints(_ data: Data, _ proof: Credential) {
    guard let keys = StoreKeys.ofVectors, let access = data.withUnsafeBytes({ ItemAccess(decoding: $0) })
    else { return }
    let again = access.bytes.withUnsafeBytes { ItemAccess(decoding: $0) }
    precondition(again?.digest == access.digest && again?.control == access.control)
    // The credential has no application password, whose key derivation would be slow.
    let keyWrapper = try? ItemKeyWrapper(access, satisfiedBy: proof, with: keys)
    precondition(keyWrapper == nil || !access.control.needsApplicationPassword)
    precondition(
        keyWrapper == nil || !access.control.needsUserAuthentication
            || access.control.isSatisfied(by: .passcode)
    )
    precondition(keyWrapper == nil || ItemKeyWrapper.wrappedKeyCount(access) <= 72 * 3)
}

/// Unwraps a key from the bytes, and from the same bytes sealed for the correct key.
private func unwrap(_ data: Data, _ key: AccessControlKey, _ proof: Credential) {
    guard let keys = StoreKeys.ofVectors else { return }
    guard let keyWrapper = try? ItemKeyWrapper(ItemAccess(1, for: key), satisfiedBy: proof, with: keys) else {
        preconditionFailure("the correct key does not satisfy the access control")
    }
    let bytes = Array(data)
    _ = try? keyWrapper.unwrap(inner: bytes, associatedData: [])
    guard let sealed = try? key.recipient.seal(bytes, associatedData: []) else { return }
    let isOpened = (try? keyWrapper.unwrap(inner: sealed, associatedData: [])) != nil
    precondition(isOpened == (bytes.count == SecretKey.count))
    precondition((try? keyWrapper.unwrap(inner: sealed, associatedData: [1])) == nil)
}

extension ItemAccess {
    fileprivate init(_ flags: UInt64, for key: AccessControlKey) {
        self.init(
            control: AccessControl(protection: .whenUnlocked, flags: flags),
            wrapping: flags == 1 << 1
                ? []
                : flags == 1
                    ? .passcode : flags & 1 == 0 ? .applicationPassword : [.passcode, .applicationPassword],
            recipient: key.recipient.identifier,
            enrolled: .zero,
            password: nil
        )
    }
}
