// SPDX-License-Identifier: Apache-2.0

/// A test that shows a behaviour: suite, name and, for a test with a table, the row.
///
/// A suite name that occurs in several folders is written as `Folder.Suite`.
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
    /// Returns the proof by a row of the table in `ErrorMatrixTests`, which tests each row with every item class.
    static func matrix(_ row: String) -> Self {
        Self("ErrorMatrixTests", "each call returns the status in the matrix", row: row)
    }
}
