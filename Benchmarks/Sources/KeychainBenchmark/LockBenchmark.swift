// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore

/// The cost of a passcode: reading with and without a passcode, changing it, and unlocking.
struct LockBenchmark {
    let effort: Effort

    func rows() throws -> [Row] { try reads() + [changes()] + unlocks() }

    /// Reads alternately from a store without a passcode, one with a passcode, and one that also locks automatically.
    private func reads() throws -> [Row] {
        let size = 1_000
        let directories = try StoreDirectories(onDisk: false)
        let caller = try SystemKeychain.caller()
        let stores = try ["without", "unlocked", "timed"].map { name in
            let store = try StoreSubject(at: "\(directories.path)/\(name)", caller: caller)
            try store.fill(0..<size)
            return store
        }
        for store in stores.dropFirst() {
            try store.keychain.setPasscode(Self.secret("passcode"), cost: Self.cost)
        }
        try stores[2].keychain.set(LockSettings(interval: 3_600, locksOnSleep: true))
        let names = Names(size)
        let count = effort.readsPerRound
        func read(_ store: StoreSubject, _ round: Int) throws -> Double {
            try processorMicroseconds(count) {
                let item = Items.scattered(round * count + $0, among: size)
                try store.read(service: names.services[item], account: names.accounts[item])
            }
        }
        let rounds = try Rounds(
            effort.rounds,
            reference: { try read(stores[0], $0) },
            stores.dropFirst().map { store in { try read(store, $0) } }
        )
        return [
            rounds.row("read with a passcode, against one without", 0, target: 1.05),
            rounds.row("read with a passcode and locking by itself, against neither", 1, target: 1.05),
        ]
    }

    /// Measures changing the passcode of a large store, compared with a small one.
    ///
    /// The key derivation has the lowest possible cost: its time does not depend on the store's size, and would
    /// otherwise hide any time that does.
    private func changes() throws -> Row {
        let directories = try StoreDirectories(onDisk: true)
        let caller = try SystemKeychain.caller()
        let sizes = [100, effort.sizes.max() ?? 10_000]
        let keychains = try sizes.map { size in
            let directory = "\(directories.path)/\(size)"
            try StoreDirectories.make(directory)
            try Stores.fill(size, for: caller, thenCopyTo: directory)
            let keychain = try StoreSubject(at: directory, caller: caller).keychain
            try keychain.setPasscode(Self.secret("0"), cost: Self.cost)
            return keychain
        }
        let count = effort.writesPerRound / 4
        func change(_ keychain: EmbeddedKeychain, _ round: Int) throws -> Double {
            try microseconds(count) { number in
                // Changes are numbered from 0; the store was created with the passcode "0".
                let change = Self.change(round, number, count)
                try keychain.changePasscode(
                    from: Self.secret(String(change)),
                    to: Self.secret(String(change + 1)),
                    cost: Self.cost
                )
            }
        }
        let rounds = try Rounds(
            effort.rounds,
            reference: { try change(keychains[0], $0) },
            [{ try change(keychains[1], $0) }]
        )
        return rounds.row("change the passcode at \(sizes[1]) items, against \(sizes[0])", target: 1.2)
    }

    /// Measures unlocking, which is mostly the key derivation with the cost calibrated for this machine.
    private func unlocks() throws -> [Row] {
        let directories = try StoreDirectories(onDisk: false)
        let caller = try SystemKeychain.caller()
        let keychain = try StoreSubject(at: "\(directories.path)/unlock", caller: caller).keychain
        try keychain.setPasscode(Self.secret("passcode"))
        let milliseconds = try (0..<effort.rounds).map { _ in
            try microseconds(1) { _ in try keychain.unlock(with: Self.secret("passcode")) } / 1_000
        }
        .median
        let work = "unlock by a passcode, at the cost that this machine chooses"
        return [
            Row(work: work, unit: "ms", ours: milliseconds, target: 500),
            Row(
                work: "\(work), as a minimum",
                unit: "ms",
                ours: milliseconds,
                target: 80,
                direction: .atLeast
            ),
        ]
    }

    private static func change(_ round: Int, _ number: Int, _ count: Int) -> Int { round * count + number }

    private static let cost = PasscodeCost(doublings: 3)

    private static func secret(_ text: String) -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }
}
