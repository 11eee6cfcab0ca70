// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lookups by clients of the Secret Service: `keychain-secret-service`, compared with gnome-keyring.
struct DesktopBenchmark {
    let effort: Effort

    private static let items = 10_000

    func rows() throws -> [Row] {
        guard let gnome = try DesktopKeyring(.gnome, Self.items),
            let own = try DesktopKeyring(.own, Self.items)
        else {
            FileHandle.standardError.write(
                Data("no libsecret, gnome-keyring or libsystemd: not measured\n".utf8)
            )
            return []
        }
        return try [
            row("search with one D-Bus call: times faster than gnome-keyring", .search, 40, gnome, own),
            row(
                "lookup by libsecret in one process: times faster than gnome-keyring",
                .lookup,
                40,
                gnome,
                own
            ),
            row("secret-tool lookup, with its start: times faster than gnome-keyring", .tool, 5, gnome, own),
        ]
    }

    private func row(
        _ work: String,
        _ kind: DesktopKeyring.Work,
        _ count: Int,
        _ gnome: DesktopKeyring,
        _ own: DesktopKeyring
    ) throws -> Row {
        let rounds = try Rounds(
            effort.rounds,
            reference: { try gnome.microseconds(kind, count, from: $0 * count) },
            [{ try own.microseconds(kind, count, from: $0 * count) }]
        )
        var row = rounds.row(work, target: 20)
        row.ratio = row.ratio.map { 1 / $0 }
        row.direction = .atLeast
        return row
    }
}

/// A provider of the Secret Service with the benchmark's items, on a D-Bus session bus of its own.
final class DesktopKeyring {
    enum Provider {
        case gnome, own
    }

    /// An operation of the client program; the raw value is the letter that selects it.
    enum Work: String {
        case lookup = "l"
        case search = "s"
        case tool = "t"
    }

    private let child: Child

    /// Starts the provider; returns `nil` if a program that it needs was not built.
    init?(_ provider: Provider, _ items: Int) throws {
        let (folder, directory) = (Child.ownDirectory, "\(Stores.root)/keyring")
        let program = "\(folder)/reference-libsecret"
        let service = "\(folder)/keychain-secret-service"
        let arguments =
            switch provider {
            case .gnome: ["Reference/keyring.sh", program, directory, "\(items)"]
            case .own: ["Reference/secret-service.sh", service, program, directory + "-own", "\(items)"]
            }
        let needed = provider == .gnome ? [program] : [program, service]
        guard needed.allSatisfy(FileManager.default.isExecutableFile) else { return nil }
        child = try Child("/bin/sh", arguments, environment: Stores.environment)
        guard try child.awaitLine() == "ready" else { throw BenchmarkError("the provider is not ready") }
    }

    func microseconds(_ work: Work, _ count: Int, from first: Int) throws -> Double {
        guard let time = Double(try child.ask("\(work.rawValue) \(count) \(first)")) else {
            throw BenchmarkError("an item is not found")
        }
        return time
    }
}
