// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// The status of each call in real processes, by protection class and by whether the keychain is locked.
@Suite struct LockMatrixTests {
    enum State: String, CaseIterable, Sendable { case withoutPasscode, unlocked, locked, restarted }

    struct Row: Sendable {
        let call: String
        /// The statuses for an item whose protection class is unlocked, and for one whose class is locked.
        let open: Int32
        let closed: Int32
        /// The status for a missing item.
        ///
        /// Without a passcode, the item of the class that requires one is missing, because it cannot be added.
        let absent: Int32
    }

    /// The calls, in order: after the reads, the item is updated, deleted and added again.
    static let rows: [Row] = [
        Row(call: "data", open: 0, closed: -25308, absent: -25300),
        Row(call: "attributes", open: 0, closed: -25308, absent: -25300),
        Row(call: "reference", open: 0, closed: -25308, absent: -25300),
        Row(call: "exists", open: 0, closed: -25308, absent: -25300),
        Row(call: "all", open: 0, closed: -25308, absent: -25300),
        Row(call: "class", open: 0, closed: -25308, absent: -25300),
        Row(call: "miss", open: -25300, closed: -25300, absent: -25300),
        Row(call: "duplicate", open: -25299, closed: -25308, absent: -25293),
        Row(call: "update", open: 0, closed: -25308, absent: -25300),
        Row(call: "delete", open: 0, closed: 0, absent: -25300),
        Row(call: "data", open: -25300, closed: -25300, absent: -25300),
        Row(call: "add", open: 0, closed: -25308, absent: -25293),
    ]

    static let openClasses: [State: Set<String>] = [
        .withoutPasscode: ["ak", "aku", "ck", "cku", "dk", "dku"],
        .unlocked: ["ak", "aku", "ck", "cku", "dk", "dku", "akpu"],
        .locked: ["ck", "cku", "dk", "dku"],
        .restarted: ["dk", "dku"],
    ]

    static let classes: [String] = ProtectionRule.table.map(\.name)

    @Test(arguments: LockedStore.cacheLocations, State.allCases)
    func `each call returns the status for its protection class and lock state`(
        cacheLocation: LockedStore.CacheLocation,
        state: State
    ) throws {
        let store = try LockedStore(keysIn: cacheLocation, withPasscode: state != .withoutPasscode)
        let older = try store.start()
        defer { older.end() }
        let kept = state == .withoutPasscode ? Self.classes.filter { $0 != "akpu" } : Self.classes
        for name in kept {
            for account in ["older", "newer"] {
                #expect(try older.ask("protected add \(name) canary-\(name)-\(account)") == "0")
            }
        }
        switch state {
        case .withoutPasscode, .unlocked: break
        case .locked: try store.keychain.lock()
        case .restarted:
            try store.keychain.lock()
            store.restart()
        }
        let newer = try store.start()
        defer { newer.end() }

        // The process that was started before the lock must give the same answers as one started after it.
        for (child, account) in [(older, "older"), (newer, "newer")] {
            for name in Self.classes {
                for row in Self.rows {
                    let isOpen = Self.openClasses[state]?.contains(name) == true
                    let expected = kept.contains(name) ? (isOpen ? row.open : row.closed) : row.absent
                    let answer = try child.ask("protected \(row.call) \(name) canary-\(name)-\(account)")
                    #expect(
                        answer == "\(expected)",
                        "\(row.call) of \(name) when \(state), \(account) process"
                    )
                }
            }
        }
    }

    @Test(arguments: LockedStore.cacheLocations)
    func `a list fails completely if one of its items is locked`(
        cacheLocation: LockedStore.CacheLocation
    ) throws {
        let store = try LockedStore(keysIn: cacheLocation)
        let child = try store.start()
        defer { child.end() }
        for name in Self.classes { #expect(try child.ask("protected add \(name) canary-\(name)") == "0") }
        #expect(try child.ask("protected every dk -") == "0")
        #expect(try child.ask("lock") == "0")
        #expect(try child.ask("protected every dk -") == "-25308")
        // A search for the items of an open class does not fail because of locked items of other classes.
        #expect(try child.ask("protected class dk -") == "0")
        #expect(try child.ask("protected class ck -") == "0")
    }

    @Test(arguments: LockedStore.cacheLocations)
    func `the next call of every process sees a lock and an unlock`(
        cacheLocation: LockedStore.CacheLocation
    ) throws {
        let store = try LockedStore(keysIn: cacheLocation)
        let children = try (0..<4).map { _ in try store.start() }
        defer { for child in children { child.end() } }
        #expect(try children[0].ask("protected add ak canary-1") == "0")
        for round in 0..<12 {
            let who = children[round % children.count]
            #expect(try who.ask("lock") == "0")
            for child in children { #expect(try child.ask("protected data ak canary-1") == "-25308") }
            #expect(try who.ask("unlock canary-wrong") == "-25293")
            #expect(try children[(round + 1) % children.count].ask("unlock \(LockedStore.passcode)") == "0")
            for child in children { #expect(try child.ask("protected data ak canary-1") == "0") }
        }
    }

    @Test(arguments: LockedStore.cacheLocations)
    func `removing the passcode removes items of its class in every process`(
        cacheLocation: LockedStore.CacheLocation
    ) throws {
        let store = try LockedStore(keysIn: cacheLocation)
        let child = try store.start()
        defer { child.end() }
        for name in Self.classes { #expect(try child.ask("protected add \(name) canary-\(name)") == "0") }
        #expect(try store.keychain.removePasscode(SecretBytes(LockedStore.passcode)) == 1)
        #expect(try child.ask("protected data akpu canary-akpu") == "-25300")
        #expect(try child.ask("protected add akpu canary-akpu") == "-25293")
        for name in Self.classes.dropLast() {
            #expect(try child.ask("protected data \(name) canary-\(name)") == "0")
        }
        #expect(try child.ask("state") == "device key only, no passcode")
        try store.keychain.setPasscode(SecretBytes("canary other"), cost: LockedStore.cost)
        #expect(try child.ask("protected data akpu canary-akpu") == "-25300")
        #expect(try child.ask("protected add akpu canary-akpu") == "0")
        #expect(try child.ask("protected data akpu canary-akpu") == "0")
    }
}
