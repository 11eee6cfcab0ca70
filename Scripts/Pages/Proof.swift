// SPDX-License-Identifier: Apache-2.0

/// The test that shows something: its suite, its sentence and, where a table drives it, the row.
///
/// Several folders have suites of one name; the folder then stands before it, with a point between.
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
    /// A row of the matrix of errors, which is run for passwords and for the classes that have objects.
    static func matrix(_ row: String) -> Self {
        Self("ErrorMatrixTests", "each call answers as the matrix says", row: row)
    }
}
