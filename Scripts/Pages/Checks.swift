// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs all checks of the pages and their tables, and prints each fault.
struct Checks {
    let sources: TestSources
    private(set) var count = 0
    private(set) var faults = 0

    init() throws { sources = try TestSources() }

    mutating func expect(_ holds: Bool, _ fault: @autoclosure () -> String) {
        count += 1
        guard !holds else { return }
        faults += 1
        print("error: \(fault())")
    }

    /// Checks that the test of a proof exists.
    mutating func check(_ proof: Proof, in place: String) {
        let complaint = sources.complaint(about: proof)
        expect(complaint == nil, "\(place): \(complaint ?? "")")
    }

    mutating func all() throws {
        try differences()
        statements()
        sections()
        differencesInStatements()
        wrappers()
        try pages()
        try threatModel()
        try absentNames()
        try excerpts()
        try anchors()
        try embeddedOnly()
    }
}

@main struct Main {
    static func main() throws {
        if CommandLine.arguments.contains("--write") {
            for page in Page.all { try page.write() }
        }
        var checks = try Checks()
        try checks.all()
        print("\(checks.count) statements of the pages, \(checks.faults) of them wrong")
        exit(checks.faults == 0 ? 0 : 1)
    }
}
