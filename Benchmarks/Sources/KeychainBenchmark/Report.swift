// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One row of the result table.
struct Row: Codable {
    enum Direction: String, Codable { case atMost, atLeast }

    let work: String
    let unit: String
    /// The figure to compare with, usually the C reference's; `nil` without a comparison.
    var reference: Double?
    var sqlcipher: Double?
    let ours: Double
    /// The median of the ratios of all rounds: the figure `ours` divided by the figure to compare with.
    ///
    /// The rows of ``DesktopBenchmark`` contain the inverse. Rows without a ratio contain `nil`.
    var ratio: Double?
    var ratioToSQLCipher: Double?
    /// The limit for the ratio or, without a ratio, for the figure `ours`; `nil` without a limit.
    var target: Double?
    var direction = Direction.atMost
    /// The upper limit for ``ratioToSQLCipher``; `nil` without a limit.
    var targetToSQLCipher: Double?

    /// Whether the row meets its limits; `nil` without a limit.
    var isMet: Bool? {
        let value = ratio ?? ours
        let limits = [
            target.map { direction == .atMost ? value <= $0 : value >= $0 },
            targetToSQLCipher.map { (ratioToSQLCipher ?? .infinity) <= $0 },
        ].compactMap { $0 }
        return limits.isEmpty ? nil : limits.allSatisfy { $0 }
    }

    private var goal: String {
        let sign = direction == .atMost ? "≤" : "≥"
        let goals = [
            target.map { "\(sign) \($0.goal)\(ratio == nil ? "" : " ×")" },
            targetToSQLCipher.map { "≤ \($0.goal) × SQLCipher" },
        ].compactMap { $0 }
        return goals.isEmpty ? "–" : goals.joined(separator: ", ")
    }

    var markdown: String {
        let cells = [
            work, cell(reference), cell(sqlcipher), cell(ours), times(ratio), times(ratioToSQLCipher), goal,
            isMet.map { $0 ? "yes" : "**no**" } ?? "–",
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    private func cell(_ figure: Double?) -> String { figure.map { "\($0.short) \(unit)" } ?? "–" }

    private func times(_ ratio: Double?) -> String { ratio.map { "\($0.formatted(digits: 2)) ×" } ?? "–" }
}

extension Double {
    func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }

    /// The number with one decimal, or with two if one decimal would round it.
    var goal: String { formatted(digits: (self * 10).rounded() == self * 10 ? 1 : 2) }

    /// The number with about three significant digits.
    var short: String {
        if self == rounded() { return String(Int(self)) }
        return abs(self) >= 100
            ? formatted(digits: 0) : abs(self) >= 10 ? formatted(digits: 1) : formatted(digits: 2)
    }
}

enum Report {
    /// Measures the sections, each in its own process, and prints the results.
    static func make(_ sections: [Section], quick: Bool, asJSON: Bool) throws {
        var rows: [Row] = []
        var failed: [Section] = []
        for section in sections {
            FileHandle.standardError.write(Data("measuring \(section.rawValue)…\n".utf8))
            // A failed section is reported at the end, after the results of the others.
            do { rows += try run(section, quick: quick) } catch { failed.append(section) }
        }
        print(try asJSON ? json(rows) : markdown(rows))
        guard failed.isEmpty else { throw BenchmarkError("failed: \(failed.map(\.rawValue))") }
    }

    private static func markdown(_ rows: [Row]) -> String {
        let head = [
            "| Work | C reference | SQLCipher | Ours | To C | To SQLCipher | Target | Met |",
            "|---|---:|---:|---:|---:|---:|---:|---|",
        ]
        return (head + rows.map(\.markdown)).joined(separator: "\n")
    }

    private static func json(_ rows: [Row]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }

    private static func run(_ section: Section, quick: Bool) throws -> [Row] {
        let directories = try StoreDirectories(onDisk: section.needsDisk)
        let child = try Child(
            Child.ownPath,
            ["section", section.rawValue] + (quick ? ["--quick"] : []),
            environment: directories.environment
        )
        return try JSONDecoder().decode([Row].self, from: child.finish())
    }
}
