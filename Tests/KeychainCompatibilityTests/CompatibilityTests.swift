// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct DifferenceTests {
    @Test(arguments: Difference.Name.allCases)
    func `each difference has one row`(name: Difference.Name) {
        #expect(Difference.table.count { $0.name == name } == 1)
    }

    @Test func `each difference is shown by a test`() throws {
        let sources = try TestSources.shared.get()
        for difference in Difference.table {
            if let complaint = sources.complaint(about: difference.proof) { Issue.record("\(complaint)") }
        }
    }

    @Test func `each difference is said at its symbols, and what is said there is a difference`() throws {
        let said = try DifferencesInSources().counts
        var listed: [String: Int] = [:]
        for difference in Difference.table {
            #expect(!difference.symbols.isEmpty, "\(difference.name)")
            for symbol in difference.symbols { listed[symbol, default: 0] += 1 }
        }
        for symbol in Set(said.keys).union(listed.keys).sorted() {
            #expect(
                said[symbol] == listed[symbol],
                "\(symbol): as many rows of Differences.swift as the sources say Differs"
            )
        }
    }
}

@Suite struct ConformanceTests {
    @Test func `each statement is shown by a test that is there`() throws {
        let sources = try TestSources.shared.get()
        for section in ConformanceSection.table {
            for case .shown(let proof) in section.statements.map(\.evidence) {
                if let complaint = sources.complaint(about: proof) {
                    Issue.record("\(section.title): \(complaint)")
                }
            }
        }
    }

    @Test func `each row of the reference's tables has a statement`() {
        for section in ConformanceSection.table {
            let rows = section.statements.map(\.rows).reduce(0, +)
            #expect(rows == section.rows, "\(section.title)")
        }
    }

    @Test func `each section of the reference is there, whole and in its place`() {
        let numbers = ConformanceSection.table.compactMap { $0.title.split(separator: " ").first }
        let expected = ConformanceSection.reference.flatMap { Array(repeating: $0.key[...], count: $0.value) }
        #expect(numbers == expected)
        for section in ConformanceSection.table { #expect(!section.statements.isEmpty, "\(section.title)") }
    }

    @Test func `each difference stands in a statement, or in none of the reference's sections`() {
        let sections = ConformanceSection.table.flatMap(\.statements)
        var named: Set<Difference.Name> = []
        for case .differs(let name) in sections.map(\.evidence) { named.insert(name) }
        // The reference does not speak of these.
        let others: Set<Difference.Name> = [
            .userInterface, .contextKeychain, .biometricReuse, .domainState, .autoLock, .tokens,
            .fileKeychains, .allocators,
            .booleans, .halfPairs, .ignoredMembers, .typeNumbers,
            .agreements, .algorithms, .network, .unmarkedAnchors, .policies, .archives,
            .importKeychain, .importIdentities, .importAccess,
            .revocation, .exceptionBytes, .exceptionReasons, .trustResult, .identityKeychains,
        ]
        #expect(named.union(others) == Set(Difference.Name.allCases))
        #expect(named.isDisjoint(with: others))
    }
}

@Suite struct WrapperBehaviourTests {
    @Test func `each behaviour of a wrapper is shown by a test that is there`() throws {
        let sources = try TestSources.shared.get()
        for section in WrapperSection.table {
            for behaviour in section.behaviours {
                if let complaint = sources.complaint(about: behaviour.proof) {
                    Issue.record("\(section.title): \(complaint)")
                }
            }
        }
    }
}

@Suite struct PageTests {
    /// Whether the pages are to be written instead of compared.
    private static let writes = ProcessInfo.processInfo.environment["KEYCHAIN_WRITE_PAGES"] != nil

    @Test(arguments: Page.all.indices)
    func `a page is what the tables say`(place: Int) throws {
        let page = Page.all[place]
        if Self.writes { try page.write() }
        let expected = try page.expected()
        #expect(expected != nil, "\(page.name) has lost its marks")
        let isCurrent = try page.current() == expected
        #expect(isCurrent, "Documentation/\(page.name) is old: Scripts/update-pages writes it")
    }
}
