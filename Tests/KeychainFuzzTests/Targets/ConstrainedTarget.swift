// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

@testable import KeychainStore

/// An item under access control: its record taken apart, its constraints, and what wraps its keys inside.
func fuzzConstrained(_ data: Data) {
    guard let key = AccessControlKey.ofTargets else { return }
    let proof = Credential(accessControlKey: key)
    takeApart(Array(data), for: key)
    readConstraints(data, proof)
    unwrap(data, key, proof)
}

/// The record of the attributes, which has the sealed constraints, and that of the secret, which has not.
private func takeApart(_ bytes: [UInt8], for key: AccessControlKey) {
    _ = try? Record.sealedAccess(of: bytes, classKey: 1)
    let isConstrained = Record.isConstrained(bytes)
    // Presence, an application password, and both.
    for flags in [1, 1 << 31, 1 << 31 | 1] as [UInt64] {
        let access = ItemAccess(flags, for: key)
        if let record = try? Record(bytes, classKey: 1, access, hasAccess: false) {
            precondition(isConstrained && record.bytes == bytes)
        }
        if let record = try? Record(bytes, classKey: 1, access, hasAccess: true) {
            precondition(isConstrained && record.bytes.count < bytes.count)
        }
    }
    if let record = try? Record(bytes, classKey: 1, nil, hasAccess: false) {
        precondition(!isConstrained && record.bytes == bytes)
    }
}

private func readConstraints(_ data: Data, _ proof: Credential) {
    guard let keys = StoreKeys.ofVectors, let access = data.withUnsafeBytes({ ItemAccess(decoding: $0) })
    else { return }
    let again = access.bytes.withUnsafeBytes { ItemAccess(decoding: $0) }
    precondition(again?.digest == access.digest && again?.control == access.control)
    // Without a password that would have to be derived.
    let opener = try? AccessOpener(access, satisfiedBy: proof, with: keys)
    precondition(opener == nil || !access.control.needsApplicationPassword)
    precondition(opener == nil || !access.control.needsPerson || access.control.isSatisfied(by: .passcode))
}

/// The bytes inside the class key's wrap, and the same bytes as if they were sealed for the right key.
private func unwrap(_ data: Data, _ key: AccessControlKey, _ proof: Credential) {
    guard let keys = StoreKeys.ofVectors else { return }
    guard let opener = try? AccessOpener(ItemAccess(1, for: key), satisfiedBy: proof, with: keys) else {
        preconditionFailure("the right key does not satisfy")
    }
    _ = try? opener.unwrap(data, context: [])
    guard let sealed = try? key.recipient.seal(data, context: []) else { return }
    precondition((try? opener.unwrap(sealed, context: [])) != nil)
    precondition((try? opener.unwrap(sealed, context: [1])) == nil)
}

extension ItemAccess {
    fileprivate init(_ flags: UInt64, for key: AccessControlKey) {
        self.init(
            control: AccessControl(protection: .whenUnlocked, flags: flags),
            recipient: key.recipient.identifier,
            enrolled: .zero,
            password: nil
        )
    }
}
