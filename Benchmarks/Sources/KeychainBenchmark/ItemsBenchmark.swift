// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainItems
import Lockbox
import Valet

/// Reads and lists through KeychainItems and the wrappers, compared with the C reference.
struct ItemsBenchmark {
    let effort: Effort

    private static let size = 10_000
    /// The number of items that are read again and again from the cache.
    private static let cachedItems = 400

    func rows() throws -> [Row] {
        let store = try StoreSubject()
        let reference = try CReferenceStore()
        try store.fill(0..<1_000)
        try reference.fill(0..<1_000)
        var rows = [try listing(reference)]
        try store.fill(1_000..<Self.size)
        try reference.fill(1_000..<Self.size)
        rows = try reads(reference) + rows
        rows += try wrappers(reference)
        rows.append(try tasks())
        return rows
    }

    private func reads(_ reference: CReferenceStore) throws -> [Row] {
        let secrets = Secrets(Self.size)
        let count = effort.readsPerRound
        func each(_ round: Int, among items: Int) throws -> Double {
            try processorMicroseconds(count) {
                try secrets.read(Items.scattered(round * count + $0, among: items))
            }
        }
        let rounds = try Rounds(
            effort.rounds,
            reference: { try reference.reads(count, from: $0 * count, among: Self.size) },
            [
                { round in
                    try secrets.fillCache(Self.cachedItems)
                    return try each(round, among: Self.cachedItems)
                },
                { round in
                    // Changing an item empties the caches.
                    try Subject.update(0, version: round)
                    return try each(round, among: Self.size)
                },
            ]
        )
        return [
            rounds.row("KeychainItems, a secret by service and account, cached", 0, target: 0.5),
            rounds.row(
                "KeychainItems, a secret by service and account, not cached, 10,000 items",
                1,
                target: 2.1
            ),
        ]
    }

    /// The items of the store: for each one the vault of its service, and its account.
    private struct Secrets {
        private let vaults: [Vault]
        private let accounts: [String]

        init(_ count: Int) {
            let names = Names(count)
            vaults = names.services.map { Vault(service: $0) }
            accounts = names.accounts
        }

        func read(_ item: Int) throws {
            let secret = try vaults[item].get(accounts[item], as: SecretBytes.self)
            guard secret?.count == Subject.secretSize else { throw BenchmarkError("a wrong secret") }
        }

        /// Reads the first `count` items twice, because a search is cached when it is repeated.
        func fillCache(_ count: Int) throws {
            for _ in 0..<2 {
                for item in 0..<count { try read(item) }
            }
        }
    }

    private func listing(_ reference: CReferenceStore) throws -> Row {
        let vault = Vault(service: "")
        let rounds = try Rounds(
            effort.rounds,
            reference: { _ in try reference.list(10, of: 1_000) },
            [
                { _ in
                    try processorMicroseconds(10) { _ in
                        let items = try vault.items(matching: .genericPasswords())
                        guard items.count == 1_000 else { throw BenchmarkError("\(items.count) items") }
                    }
                }
            ]
        )
        return rounds.row("KeychainItems, list 1,000 items without secrets", 0, target: 7)
    }

    private func wrappers(_ reference: CReferenceStore) throws -> [Row] {
        guard let identifier = Identifier(nonEmpty: "benchmark") else {
            throw BenchmarkError("no identifier")
        }
        let valet = Valet.valet(with: identifier, accessibility: .whenUnlocked)
        let keychain = FXKeychain(service: "benchmark", accessGroup: nil)
        let lockbox = Lockbox(keyPrefix: "benchmark")
        let keys = (0..<Self.cachedItems).map { "key \($0)" }
        for key in keys {
            try valet.setString("secret", forKey: key)
            guard keychain.setObject("secret", forKey: key), lockbox.archiveObject("secret", forKey: key)
            else {
                throw BenchmarkError("a wrapper cannot write")
            }
        }
        let count = effort.readsPerRound
        func each(_ body: (String) throws -> String?) throws -> Double {
            try processorMicroseconds(count) {
                guard try body(keys[$0 % keys.count]) == "secret" else {
                    throw BenchmarkError("a wrong secret")
                }
            }
        }
        let rounds = try Rounds(
            effort.rounds,
            reference: { try reference.reads(count, from: $0 * count, among: Self.size) },
            [
                { _ in try each { try valet.string(forKey: $0) } },
                { _ in try each { keychain[$0] as? String } },
                { _ in try each { lockbox.unarchiveObject(forKey: $0) as? String } },
            ]
        )
        return [
            rounds.row("Valet.string(forKey:), cached", 0, target: 0.8),
            rounds.row("FXKeychain[key], cached", 1, target: 1.5),
            rounds.row("Lockbox.unarchiveObject(forKey:), cached", 2, target: 2),
        ]
    }

    /// Compares eight concurrent loops of reads, on at most one thread per processor, with one loop.
    private func tasks() throws -> Row {
        let secrets = Secrets(Self.cachedItems)
        // There are so many reads that the time to start the threads does not matter.
        let count = effort.readsPerRound * 32
        func microseconds(threads: Int) throws -> Double {
            let start = ContinuousClock.now
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for number in 0..<(count / threads) {
                    try? secrets.read(Items.scattered(number + thread, among: Self.cachedItems))
                }
            }
            return (ContinuousClock.now - start) / .microseconds(1) / Double(count)
        }
        let rounds = try Rounds(
            effort.rounds,
            reference: { _ in try microseconds(threads: 8) },
            [{ _ in try microseconds(threads: 1) }]
        )
        var row = rounds.row("reads of eight threads against one, of KeychainItems", 0, target: 1.7)
        row.direction = .atLeast
        return row
    }
}
