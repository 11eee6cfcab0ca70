// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

/// Concurrent calls on threads of their own, which the thread sanitizer can observe.
@Suite(.ownKeychain) struct ThreadTests {
    private static let threads = 8
    private static let rounds = 25

    /// Runs a closure on eight threads at once, which use the keychain of this test.
    private func onThreads(_ body: @escaping @Sendable (Int) throws -> Void) async throws {
        let executor = ThreadExecutor()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<Self.threads {
                group.addTask(executorPreference: executor) { try body(thread) }
            }
            try await group.waitForAll()
        }
    }

    private static func work(on valet: Valet, _ thread: Int) throws {
        for round in 0..<rounds {
            let key = "\(thread)-\(round)"
            try valet.setString("canary \(key)", forKey: key)
            try valet.setString("canary again \(key)", forKey: key)
            #expect(try valet.string(forKey: key) == "canary again \(key)")
            if round.isMultiple(of: 5) { try valet.removeObject(forKey: key) }
            #expect(valet.canAccessKeychain())
        }
    }

    @Test func `eight threads on one valet lose nothing`() async throws {
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try await onThreads { try Self.work(on: valet, $0) }
        #expect(try valet.allKeys().count == Self.threads * Self.rounds * 4 / 5)
        try valet.removeAllObjects()
    }

    @Test func `eight threads on eight valets lose nothing`() async throws {
        let names = try (0..<Self.threads).map { _ in try Identifier.fresh() }
        try await onThreads { thread in
            let valet = Valet.valet(with: names[thread], accessibility: .afterFirstUnlock)
            try Self.work(on: valet, thread)
            #expect(try valet.allKeys().count == Self.rounds * 4 / 5)
            try valet.removeAllObjects()
        }
    }

    @Test func `concurrent writes and removals of one key never fail`() async throws {
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try await onThreads { thread in
            for round in 0..<Self.rounds {
                if thread.isMultiple(of: 2) {
                    try valet.setString("canary \(thread) \(round)", forKey: "key")
                } else {
                    try valet.removeObject(forKey: "key")
                }
            }
        }
        try valet.setString("canary last", forKey: "key")
        #expect(try valet.string(forKey: "key") == "canary last")
        try valet.removeAllObjects()
    }

    @Test func `a concurrent read never sees a partial value`() async throws {
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let values = ["a", "b"].map { String(repeating: $0, count: 5_000) }
        try valet.setString(values[0], forKey: "key")
        try await onThreads { thread in
            for round in 0..<Self.rounds {
                if thread == 0 {
                    try valet.setString(values[round % 2], forKey: "key")
                } else {
                    #expect(values.contains(try valet.string(forKey: "key")))
                }
            }
        }
        try valet.removeAllObjects()
    }

    @Test func `valets with one identifier and two accessibilities can share a canary`() async throws {
        let name = try Identifier.fresh()
        try await onThreads { thread in
            let accessibility: Accessibility = thread.isMultiple(of: 2) ? .whenUnlocked : .afterFirstUnlock
            let valet = Valet.valet(withExplicitlySet: name, accessibility: accessibility)
            for _ in 0..<Self.rounds { #expect(valet.canAccessKeychain()) }
        }
        for accessibility in [Accessibility.whenUnlocked, .afterFirstUnlock] {
            try Valet.valet(withExplicitlySet: name, accessibility: accessibility).removeAllObjects()
        }
    }
}
