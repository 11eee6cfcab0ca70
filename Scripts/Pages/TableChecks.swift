// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Checks {
    /// Checks that each difference has one row and an existing test.
    ///
    /// Checks also that the word *Differs* occurs in the documentation of each symbol as often as the rows name the
    /// symbol.
    mutating func differences() throws {
        for name in Difference.Name.allCases {
            let rows = Difference.table.count { $0.name == name }
            expect(rows == 1, "the difference \(name) has \(rows) rows")
        }
        let said = try DifferencesInSources().counts
        var listed: [String: Int] = [:]
        for difference in Difference.table {
            check(difference.proof, in: "the difference \(difference.name)")
            expect(!difference.symbols.isEmpty, "the difference \(difference.name) has no symbol")
            for symbol in difference.symbols { listed[symbol, default: 0] += 1 }
        }
        for symbol in Set(said.keys).union(listed.keys).sorted() {
            let counts = (sources: said[symbol] ?? 0, rows: listed[symbol] ?? 0)
            expect(
                counts.sources == counts.rows,
                "\(symbol): the sources say Differs \(counts.sources) times, Differences.swift \(counts.rows)"
            )
        }
    }

    mutating func statements() {
        for section in ConformanceSection.table {
            for case .shown(let proof) in section.statements.map(\.evidence) {
                check(proof, in: section.title)
            }
        }
    }

    /// Checks that Tests/Conformance.md has every section of the private notes on Apple's keychain in order, and
    /// that its statements cover each row of the notes' tables.
    mutating func sections() {
        let numbers = ConformanceSection.table.compactMap { $0.title.split(separator: " ").first }
        let expected = ConformanceSection.reference.flatMap { Array(repeating: $0.key[...], count: $0.value) }
        expect(numbers == expected, "the sections \(numbers) are not those of the reference")
        for section in ConformanceSection.table {
            expect(!section.statements.isEmpty, "\(section.title) says nothing")
            let rows = section.statements.map(\.rows).reduce(0, +)
            expect(rows == section.rows, "\(section.title) stands for \(rows) rows of \(section.rows)")
        }
    }

    /// Checks that statements name exactly the differences that the private notes on Apple's keychain mention.
    mutating func differencesInStatements() {
        let sections = ConformanceSection.table.flatMap(\.statements)
        var named: Set<Difference.Name> = []
        for case .differs(let name) in sections.map(\.evidence) { named.insert(name) }
        // Differences that the notes on Apple's keychain do not mention, so that no statement may name them.
        let others: Set<Difference.Name> = [
            .userInterface, .contextKeychain, .biometricReuse, .domainState, .autoLock, .tokens,
            .fileKeychains, .allocators,
            .booleans, .halfPairs, .ignoredMembers, .typeNumbers,
            .agreements, .algorithms, .network, .unmarkedAnchors, .policies, .archives,
            .importKeychain, .importIdentities, .importAccess,
            .revocation, .exceptionBytes, .exceptionReasons, .trustResult, .identityKeychains,
        ]
        for name in Difference.Name.allCases {
            expect(
                named.contains(name) != others.contains(name),
                "the difference \(name) must be in a statement, or in the list of those that the reference does not mention"
            )
        }
    }

    mutating func wrappers() {
        for section in WrapperSection.table {
            for behaviour in section.behaviours { check(behaviour.proof, in: section.title) }
        }
    }

    mutating func pages() throws {
        for page in Page.all {
            let expected = try page.expected()
            expect(expected != nil, "\(page.path): the marks around the generated part are missing")
            let isCurrent = try page.current() == expected
            expect(isCurrent, "\(page.path) is out of date: run Scripts/update-pages")
        }
    }
}
