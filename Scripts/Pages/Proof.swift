// SPDX-License-Identifier: Apache-2.0

/// A test as evidence: suite, name and, for a test with a table, the row.
///
/// A suite name that several folders have is qualified: `Folder.Suite`.
struct Proof: Sendable, CustomStringConvertible {
    let suite: String
    let test: String
    let row: String?

    init(_ suite: String, _ test: String, row: String? = nil) {
        self.suite = suite
        self.test = test
        self.row = row
    }

    var folder: String? {
        suite.contains(".") ? suite.split(separator: ".").first.map(String.init) : nil
    }

    var suiteName: String { suite.split(separator: ".").last.map(String.init) ?? suite }

    var description: String { "`\(suite)`: \(test)" + (row.map { " (\($0))" } ?? "") }
}

extension Proof {
    /// A row of the error matrix, which runs for every item class.
    static func matrix(_ row: String) -> Self {
        Self("ErrorMatrixTests", "each call returns the status in the matrix", row: row)
    }
}
