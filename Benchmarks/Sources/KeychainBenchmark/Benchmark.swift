// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The benchmark program: measures each section in a process of its own, or one section in this process.
@main
struct Benchmark {
    static func main() {
        do { try run() } catch {
            FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "section":
            guard let section = Section(rawValue: arguments[1]) else {
                throw BenchmarkError("unknown section")
            }
            let rows = try section.measure(Effort(quick: arguments.contains("--quick")))
            FileHandle.standardOutput.write(try JSONEncoder().encode(rows))
        case "worker":
            try Worker.run(Array(arguments.dropFirst()))
        default:
            let named = arguments.compactMap(Section.init)
            try Report.make(
                named.isEmpty ? Section.allCases : named,
                quick: arguments.contains("--quick"),
                asJSON: arguments.contains("--json")
            )
        }
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The numbers of repetitions, the sizes of the stores, and the duration of a measurement in seconds.
struct Effort {
    let rounds: Int
    let readsPerRound: Int
    let writesPerRound: Int
    let starts: Int
    let sizes: [Int]
    let seconds: Double

    init(quick: Bool) {
        rounds = quick ? 5 : 15
        readsPerRound = quick ? 1_000 : 4_000
        writesPerRound = quick ? 40 : 100
        starts = quick ? 30 : 150
        sizes = quick ? [10_000] : [10_000, 100_000, 1_000_000]
        seconds = quick ? 0.4 : 1
    }
}

/// A section of the benchmark, which runs in its own process with its own stores.
enum Section: String, CaseIterable {
    case reads
    case items
    case writes
    case starts
    case commands
    case processes
    case identities
    case keys
    case locks
    case wrappers
    case daemon
    case desktop

    func measure(_ effort: Effort) throws -> [Row] {
        switch self {
        case .reads: try ReadBenchmark(effort: effort).rows()
        case .items: try ItemsBenchmark(effort: effort).rows()
        case .writes: try WriteBenchmark(effort: effort).rows()
        case .starts: try StartBenchmark(effort: effort).rows()
        case .commands: try CommandBenchmark(effort: effort).rows()
        case .processes: try ProcessBenchmark(effort: effort).rows()
        case .identities: try IdentityBenchmark(effort: effort).rows()
        case .keys: try KeyBenchmark(effort: effort).rows()
        case .locks: try LockBenchmark(effort: effort).rows()
        case .wrappers: try WrapperBenchmark(effort: effort).rows()
        case .daemon: try DaemonBenchmark(effort: effort).rows()
        case .desktop: try DesktopBenchmark(effort: effort).rows()
        }
    }

    /// Whether the section's stores are on a real disk instead of in memory.
    var needsDisk: Bool { ![.reads, .items, .commands, .keys, .daemon, .desktop].contains(self) }
}
