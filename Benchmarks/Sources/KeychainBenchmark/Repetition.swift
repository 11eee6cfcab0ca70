// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainItems
import KeychainModel
import KeychainServices
import KeychainStore

/// One call, repeated in one or several threads for a profiler.
///
/// `KEYCHAIN_HOME` names the directory of the store, and `BENCHMARK_ROOT` the directory of the benchmark's files. An
/// empty store gets 10,000 items first.
struct Repetition {
    enum Work: String, CaseIterable {
        case request, vault, query, list, update, add
    }

    let work: Work
    let count: Int
    let threads: Int
    /// The number of items to choose from: 400 or fewer are read from the cache.
    let items: Int

    init(_ arguments: [String]) throws {
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard let work = arguments.first.flatMap(Work.init(rawValue:)), numbers.count == 3 else {
            throw BenchmarkError("a repetition needs a kind of work, and numbers of calls, threads and items")
        }
        self.work = work
        (count, threads, items) = (numbers[0], numbers[1], numbers[2])
    }

    /// Returns the wall time divided by the number of calls, in microseconds.
    func run() throws -> Double {
        let calls = try Calls(work, items: items, threads: threads)
        // Warms up with three calls for each item: a search is cached only when it is repeated.
        if items <= 400 { for number in 0..<3 * items { try calls.perform(number, 0) } }
        let perThread = count / threads
        let start = reference_now()
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<perThread { try? calls.perform(number, thread) }
        }
        return Double(reference_now() - start) / 1_000 / Double(perThread * threads)
    }
}

/// The objects that the calls use, created before the measurement.
private struct Calls: Sendable {
    private let work: Repetition.Work
    private let items: Int
    private let store: StoreSubject
    private let names: Names
    private let vaults: [Vault]
    /// The query dictionaries of each thread; no thread changes them.
    nonisolated(unsafe) private let queries: [[CFDictionary]]

    init(_ work: Repetition.Work, items: Int, threads: Int) throws {
        self.work = work
        self.items = items
        store = try StoreSubject()
        let count = try store.keychain.itemCount(in: store.caller.accessGroups)
        guard count == 0 || count >= Worker.size else {
            throw BenchmarkError("the store has \(count) items, and not \(Worker.size) or none")
        }
        if count == 0 { try store.fill(0..<Worker.size) }
        let names = Names(items)
        self.names = names
        vaults = names.services.map { Vault(service: $0) }
        queries = (0..<threads).map { _ in
            (0..<items).map {
                Subject.query(service: names.services[$0], account: names.accounts[$0]) as CFDictionary
            }
        }
    }

    func perform(_ number: Int, _ thread: Int) throws {
        let item = Items.scattered(number + thread, among: items)
        switch work {
        case .request: try store.read(service: names.services[item], account: names.accounts[item])
        case .vault: _ = try vaults[item].get(names.accounts[item], as: KeychainItems.SecretBytes.self)
        case .query: try Subject.read(queries[thread][item])
        case .list: _ = try Subject.list()
        case .update: try Subject.update(item, version: number)
        case .add: try Subject.add(item, account: "repeated \(getpid()) \(number)")
        }
    }
}
