// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

@testable import KeychainStore

/// Decodes the lock page of a store, which has the lock settings and the count of wrong guesses.
///
/// The page is decoded from raw bytes and from authenticated content.
func fuzzLockPage(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    let bytes = Array(data)
    _ = try? LockPage(opening: bytes, digest: Bytes32(digestOf: bytes), with: keys)
    guard var page = LockPage(content: bytes, keys) else { return }
    let sealed = page.sealed(with: keys)
    guard let again = try? LockPage(opening: sealed, digest: Bytes32(digestOf: sealed), with: keys)
    else { preconditionFailure("an encoded lock page cannot be decoded") }
    precondition(again.epoch == page.epoch && again.settings == page.settings)
    precondition(again.accessControlDigest == page.accessControlDigest)
    let wait = page.wait(by: .ofTargets)
    precondition(again.wait(by: .ofTargets) == wait && wait <= 3_600_000)
    let before = page.failures
    let isCharged: Void? = try? page.charge(by: .ofTargets)
    precondition((isCharged != nil) == (wait == 0))
    precondition(wait == 0 ? page.failures > before || before == .max : page.failures == before)
}

/// Decodes cached class keys, from raw bytes and from authenticated content.
func fuzzUnlockedKeys(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    _ = UnlockedKeys(opening: Array(data), with: keys)
    let box = Sealing.seal(Array(data), under: keys.runtime, associatedData: UnlockedKeys.associatedData)
    guard let held = UnlockedKeys(opening: box, with: keys) else { return }
    _ = held.limit.isOver(by: .ofTargets)
    guard let again = UnlockedKeys(opening: held.sealed(with: keys), with: keys)
    else { preconditionFailure("encoded keys cannot be decoded") }
    precondition(again.slot == held.slot && again.epoch == held.epoch)
    precondition(again.limit == held.limit && again.keys == held.keys)
}

/// Decodes the page with the recipient public key, seals bytes for the key, and opens them.
///
/// The store seals items with an access control for this key. The page is decoded from raw bytes and from
/// authenticated content.
func fuzzRecipient(_ data: Data) {
    guard let keys = StoreKeys.ofVectors, let key = AccessControlKey.ofTargets,
        let page = LockPage(content: [1] + [UInt8](repeating: 0, count: 127), keys)
    else { return }
    let bytes = Array(data)
    _ = RecipientPublicKey(opening: bytes, beside: page, with: keys)
    let page3 = Sealing.seal(
        bytes,
        under: keys.header,
        associatedData: RecipientPublicKey.associatedData(page)
    )
    if let recipient = RecipientPublicKey(opening: page3, beside: page, with: keys) {
        // An invalid public key must throw an error, and not crash.
        _ = try? recipient.seal(bytes, associatedData: [])
        let again = recipient.sealed(beside: page, with: keys)
        precondition(RecipientPublicKey(opening: again, beside: page, with: keys) == recipient)
    }
    _ = try? RecipientPublicKey.open(bytes, under: key, associatedData: [])
    let box = try? key.recipient.seal(bytes, associatedData: [])
    precondition(box.flatMap { try? RecipientPublicKey.open($0, under: key, associatedData: []) } == bytes)
}

extension LockClock {
    static let ofTargets = LockClock(sinceStart: { 5_000_000 }, awake: { 4_000_000 }, start: { .zero })
}

extension LockPage {
    /// Creates a page with this content; `nil` if the content is malformed.
    fileprivate init?(content: [UInt8], _ keys: StoreKeys) {
        let box = Sealing.seal(content, under: keys.header, associatedData: Self.associatedData)
        guard let page = try? Self(opening: box, digest: Bytes32(digestOf: box), with: keys)
        else { return nil }
        self = page
    }
}

extension AccessControlKey {
    /// An access control key that is the same in every run.
    static let ofTargets = StoreKeys.ofVectors.map { keys in
        AccessControlKey(store: keys.store, key: keys.runtime)
    }
}
