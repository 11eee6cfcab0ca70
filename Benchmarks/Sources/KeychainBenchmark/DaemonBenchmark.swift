// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainClient
import KeychainModel
import Synchronization

/// Calls through `securityd`, compared with the store in the process and with the desktop's keyring.
struct DaemonBenchmark {
    let effort: Effort

    private static let items = 10_000
    private static let manyItems = 100_000

    func rows() throws -> [Row] {
        try Stores.fill(Self.items)
        let daemon = try BenchmarkDaemon(serving: Stores.subject)
        var rows = try [reads(daemon, pinned: true), reads(daemon, pinned: false)]
        rows += try systemReads()
        rows += try keyring(daemon)
        rows += try connected(daemon)
        rows += try exchange(daemon)
        rows += try restarts(daemon)
        daemon.end()
        return rows + [try memory()]
    }

    /// Reads through the system service, which checks before each call that the client still runs the program that
    /// was identified.
    private func systemReads() throws -> [Row] {
        guard geteuid() == 0 else {
            FileHandle.standardError.write(Data("not root: securityd --system is not measured\n".utf8))
            return []
        }
        let daemon = try BenchmarkDaemon(serving: nil)
        defer { daemon.end() }
        try DaemonSubject(daemon).fill(0..<Self.items)
        return try [true, false].map { pinned in
            try reads(daemon, pinned: pinned, "read through securityd --system")
        }
    }

    private func reads(
        _ daemon: BenchmarkDaemon,
        pinned: Bool,
        _ work: String = "read through the daemon"
    ) throws -> Row {
        let (store, client) = (try StoreSubject(), try DaemonSubject(daemon))
        let (names, count) = (Names(Self.items), effort.readsPerRound)
        func each(_ round: Int, _ body: (String, String) throws -> Void) throws -> Double {
            try microseconds(count) {
                let item = Items.scattered(round * count + $0, among: Self.items)
                try body(names.services[item], names.accounts[item])
            }
        }
        daemon.pin(pinned)
        defer { daemon.pin(false) }
        let rounds = try Rounds(
            effort.rounds,
            reference: { round in
                try Subject.update(0, version: round)
                return try each(round) { try store.read(service: $0, account: $1) }
            },
            [{ round in try each(round) { try client.read(service: $0, account: $1) } }]
        )
        let processor = pinned ? "on one processor" : "on any processor"
        return rounds.row("\(work), \(processor), against the store, not cached", target: 10)
    }

    private func keyring(_ daemon: BenchmarkDaemon) throws -> [Row] {
        guard let keyring = try DesktopKeyring(.gnome, Self.items) else {
            FileHandle.standardError.write(Data("no libsecret or gnome-keyring: not compared\n".utf8))
            return []
        }
        let client = try DaemonSubject(daemon)
        let rounds = try Rounds(
            max(3, effort.rounds / 3),
            reference: { try keyring.microseconds(.lookup, 20, from: $0 * 20) },
            [
                { round in
                    try microseconds(effort.readsPerRound) {
                        try client.read(Items.scattered(round * 1_000 + $0, among: Self.items))
                    }
                }
            ]
        )
        var row = rounds.row(
            "read through the daemon: times faster than libsecret and gnome-keyring",
            target: 100
        )
        row.ratio = row.ratio.map { 1 / $0 }
        row.direction = .atLeast
        return [row]
    }

    private func connected(_ daemon: BenchmarkDaemon) throws -> [Row] {
        let client = try DaemonSubject(daemon)
        func read(_ round: Int) throws -> Double {
            try microseconds(effort.readsPerRound) {
                try client.read(Items.scattered(round * 1_000 + $0, among: Self.items))
            }
        }
        let alone = try (0..<effort.rounds).map(read).median
        let others = try (0..<1_000).map { _ in
            let other = try DaemonSubject(daemon)
            try other.read(1)
            return other
        }
        let together = try (0..<effort.rounds).map(read).median
        let status = try client.keychain.daemonStatus()
        guard others.count == 1_000, status.connections > 1_000 else { throw BenchmarkError("not connected") }
        return [
            Row(
                work: "read with 1,000 other clients connected, against without them",
                unit: "µs",
                reference: alone,
                ours: together,
                ratio: together / alone,
                target: 1.5
            )
        ]
    }

    private func exchange(_ daemon: BenchmarkDaemon) throws -> [Row] {
        let (clients, requests) = (64, 200_000 / 64)
        let subjects = try (0..<clients).map { _ in try DaemonSubject(daemon) }
        let wrong = Atomic<Int>(0)
        let ended = DispatchSemaphore(value: 0)
        let start = reference_now()
        for (number, subject) in subjects.enumerated() {
            Thread.detachNewThread {
                for request in 0..<requests {
                    let item = Items.scattered(number * requests + request, among: Self.items)
                    if (try? subject.read(item)) == nil { wrong.add(1, ordering: .relaxed) }
                }
                ended.signal()
            }
        }
        for _ in 0..<clients { ended.wait() }
        let seconds = Double(reference_now() - start) / 1e9
        return [
            Row(
                work: "200,000 requests from 64 clients",
                unit: "/s",
                ours: Double(clients * requests) / seconds
            ),
            Row(
                work: "200,000 requests from 64 clients: lost or wrong replies",
                unit: "",
                ours: Double(wrong.load(ordering: .relaxed)),
                target: 0
            ),
        ]
    }

    private func restarts(_ daemon: BenchmarkDaemon) throws -> [Row] {
        let client = try DaemonSubject(daemon)
        var (starts, waits): ([Double], [Double]) = ([], [])
        for number in 0..<20 {
            try client.read(number)
            daemon.end()
            let begin = reference_now()
            starts.append(try daemon.start())
            try client.read(number)
            waits.append(Double(reference_now() - begin) / 1e6)
        }
        return [
            Row(work: "securityd, from start to ready", unit: "ms", ours: starts.median, target: 50),
            Row(
                work: "longest time from kill -9 and start to a client's next read",
                unit: "ms",
                ours: waits.max() ?? .nan,
                target: 1_000
            ),
        ]
    }

    private func memory() throws -> Row {
        let directory = "\(Stores.root)/many"
        try StoreDirectories.make(directory)
        try Stores.fill(Self.manyItems, for: StoreSubject().caller, thenCopyTo: directory)
        let daemon = try BenchmarkDaemon(serving: directory)
        let client = try DaemonSubject(daemon)
        for number in 0..<Self.items { try client.read(Items.scattered(number, among: Self.manyItems)) }
        return Row(
            work: "resident memory of securityd with 100,000 items, after 10,000 reads",
            unit: "MB",
            ours: try daemon.residentMegabytes,
            target: 30
        )
    }
}
