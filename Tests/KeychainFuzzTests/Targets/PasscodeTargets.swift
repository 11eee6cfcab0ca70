// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

@testable import KeychainStore

/// What a store remembers of its passcode: the page as it lies in the file, and the same bytes as if its seal were good.
func fuzzLockPage(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    _ = try? LockPage(opening: data, vouchedBy: Bytes32(sha256: data), with: keys)
    guard var page = LockPage(content: data, keys) else { return }
    guard let sealed = try? page.sealed(with: keys),
        let again = try? LockPage(opening: sealed, vouchedBy: Bytes32(sha256: sealed), with: keys)
    else { preconditionFailure("what was read is not written") }
    precondition(again.state == page.state && again.settings == page.settings)
    precondition(again.accessControlDigest == page.accessControlDigest)
    let wait = page.wait(by: .ofTargets)
    precondition(again.wait(by: .ofTargets) == wait && wait <= 3_600_000)
    let before = page.failures
    let isCharged: Void? = try? page.charge(by: .ofTargets)
    precondition((isCharged != nil) == (wait == 0))
    precondition(wait == 0 ? page.failures > before || before == .max : page.failures == before)
}

/// What a cache of unlocked keys gives back, and the same bytes as if they were sealed by the device.
func fuzzUnlockedKeys(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    _ = UnlockedKeys(opening: data, with: keys)
    guard let box = try? Sealing.seal(data, under: keys.runtime, context: UnlockedKeys.context(keys)),
        let held = UnlockedKeys(opening: box, with: keys)
    else { return }
    _ = held.limit.isOver(by: .ofTargets)
    guard let sealed = try? held.sealed(with: keys), let again = UnlockedKeys(opening: sealed, with: keys)
    else { preconditionFailure("what was read is not written") }
    precondition(again.slot == held.slot && again.state == held.state)
    precondition(again.limit == held.limit && again.keys == held.keys)
}

/// The page of the public key, also behind a good seal, and what is sealed for that key.
func fuzzRecipient(_ data: Data) {
    guard let keys = StoreKeys.ofVectors, let page = LockPage(content: Data([1]) + Data(count: 127), keys),
        let key = AccessControlKey.ofTargets
    else { return }
    _ = AccessRecipient(opening: data, beside: page, with: keys)
    let context = AccessRecipient.context(page, keys)
    if let box = try? Sealing.seal(data, under: keys.header, context: context),
        let recipient = AccessRecipient(opening: box, beside: page, with: keys)
    {
        // Bytes that are no key to seal for are an error.
        _ = try? recipient.seal(data, context: [])
        let again = try? recipient.sealed(beside: page, with: keys)
        precondition(again.flatMap { AccessRecipient(opening: $0, beside: page, with: keys) } == recipient)
    }
    _ = try? AccessRecipient.open(data, under: key, context: [])
    let box = try? key.recipient.seal(data, context: [])
    precondition(box.flatMap { try? AccessRecipient.open($0, under: key, context: []) } == data)
}

extension LockClock {
    /// A clock that stands still.
    static let ofTargets = LockClock(sinceStart: { 5_000_000 }, awake: { 4_000_000 }, start: { .zero })
}

extension LockPage {
    /// The page that has this content; `nil` where it is none.
    fileprivate init?(content: Data, _ keys: StoreKeys) {
        let context = Self.context("lock", keys)
        guard let box = try? Sealing.seal(content, under: keys.header, context: context),
            let page = try? Self(opening: box, vouchedBy: Bytes32(sha256: box), with: keys)
        else { return nil }
        self = page
    }
}

extension AccessControlKey {
    /// A key that is the same in every run.
    static let ofTargets = StoreKeys.ofVectors.flatMap { keys in
        try? AccessControlKey(store: keys.store, key: keys.runtime)
    }
}
