// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Valet

/// The cost of a wrapper: a valet's read compared with `SecItemCopyMatching`, and a migration compared with
/// adds.
struct WrapperBenchmark {
    let effort: Effort

    func rows() throws -> [Row] { try reads() + migrations() }

    private static func valet(_ name: String) throws -> Valet {
        guard let identifier = Identifier(nonEmpty: name) else { throw BenchmarkError("no identifier") }
        return .valet(with: identifier, accessibility: .afterFirstUnlock)
    }

    /// Returns the attributes that all items of a valet have.
    private static func attributes(_ name: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String:
                "VAL_VALValet_initWithIdentifier:accessibility:_\(name)_AccessibleAfterFirstUnlock",
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
            kSecUseDataProtectionKeychain as String: true,
        ]
    }

    /// Measures reading one item: with a prepared dictionary, with a dictionary built for each call, and by the
    /// valet.
    private func reads() throws -> [Row] {
        let valet = try Self.valet("reads")
        for number in 0..<1_000 { try valet.setString("secret \(number)", forKey: Items.account(number)) }
        let names = (0..<1_000).map { Items.account($0) }
        let queries = names.map { Self.query($0) as CFDictionary }
        let count = effort.readsPerRound
        let rounds = try Rounds(
            effort.rounds,
            reference: { round in
                try processorMicroseconds(count) {
                    try Self.read(queries[(round * count + $0) * 7_919 % 1_000])
                }
            },
            [
                { round in
                    try processorMicroseconds(count) {
                        try Self.read(Self.query(names[(round * count + $0) * 7_919 % 1_000]) as CFDictionary)
                    }
                },
                { round in
                    try processorMicroseconds(count) {
                        let text = try valet.string(forKey: names[(round * count + $0) * 7_919 % 1_000])
                        guard text.hasPrefix("secret") else { throw BenchmarkError("a wrong secret") }
                    }
                },
            ]
        )
        return [
            rounds.row("Valet's string(forKey:), against SecItemCopyMatching", 1, target: 1.15),
            rounds.row(
                "SecItemCopyMatching with the dictionary built for it, against one that is ready",
                0,
                target: nil
            ),
        ]
    }

    private static func query(_ account: String) -> [String: Any] {
        var query = attributes("reads")
        query[kSecAttrAccount as String] = account
        query[kSecReturnData as String] = true
        return query
    }

    private static func read(_ query: CFDictionary) throws {
        var result: CFTypeRef?
        try Subject.check(SecItemCopyMatching(query, &result))
        guard let data = result as? Data, let text = String(data: data, encoding: .utf8),
            text.hasPrefix("secret")
        else { throw BenchmarkError("a wrong secret") }
    }

    /// Measures copying and moving all values of a valet, compared with as many adds in one transaction.
    private func migrations() throws -> [Row] {
        let size = 10_000
        try Self.addTogether(size, to: "source")
        let rounds = try Rounds(
            min(effort.rounds, 5),
            reference: { round in try once { try Self.addTogether(size, to: "added \(round)") } },
            [
                { round in
                    let target = try Self.valet("copied \(round)")
                    return try once {
                        try target.migrateObjects(from: Self.valet("source"), removeOnCompletion: false)
                    }
                },
                { round in
                    let (source, target) = try (Self.valet("left \(round)"), Self.valet("moved \(round)"))
                    try Self.addTogether(size, to: "left \(round)")
                    return try once { try target.migrateObjects(from: source, removeOnCompletion: true) }
                },
            ]
        )
        return [
            rounds.row("copy a valet of 10,000 values, against adding them", 0, target: 3),
            rounds.row("move it, against adding them", 1, target: 3),
        ]
    }

    private func once(_ body: () throws -> Void) throws -> Double { try microseconds(1) { _ in try body() } }

    private static func addTogether(_ size: Int, to name: String) throws {
        let attributes = attributes(name)
        let items = (0..<size).map { number in
            var item = attributes
            item[kSecAttrAccount as String] = Items.account(number)
            item[kSecValueData as String] = Items.secret(number)
            return item as CFDictionary
        }
        try Subject.check(SecItemAddTogether(items))
    }
}
