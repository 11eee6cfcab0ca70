// SPDX-License-Identifier: Apache-2.0

/// Something that Apple's keychain does, and what shows that ours does it too.
struct Statement: Sendable {
    enum Evidence: Sendable {
        case shown(Proof)
        /// Ours does something else.
        case differs(Difference.Name)
        /// It cannot come up here, for this reason.
        case impossible(String)
        /// It waits for this.
        case later(String)
    }

    let text: String
    let evidence: Evidence
    /// How many rows of the reference the statement sums up.
    let rows: Int

    private init(_ text: String, _ evidence: Evidence, _ rows: Int) {
        self.text = text
        self.evidence = evidence
        self.rows = rows
    }

    static func shown(
        _ text: String,
        _ suite: String,
        _ test: String,
        row: String? = nil,
        rows: Int = 1
    ) -> Self {
        Self(text, .shown(Proof(suite, test, row: row)), rows)
    }

    /// Shown by a row of the matrix of errors.
    static func matrix(_ text: String, _ row: String, rows: Int = 1) -> Self {
        Self(text, .shown(.matrix(row)), rows)
    }

    static func differs(_ text: String, _ name: Difference.Name, rows: Int = 1) -> Self {
        Self(text, .differs(name), rows)
    }

    static func impossible(_ text: String, because reason: String, rows: Int = 1) -> Self {
        Self(text, .impossible(reason), rows)
    }

    static func later(_ text: String, with what: String, rows: Int = 1) -> Self {
        Self(text, .later(what), rows)
    }
}

/// A section of the reference with as many rows as its tables have.
struct ConformanceSection: Sendable {
    let title: String
    /// The rows of the reference's tables; a statement beyond them stands for its text and counts none.
    let rows: Int
    let statements: [Statement]

    init(_ title: String, rows: Int, _ statements: [Statement]) {
        self.title = title
        self.rows = rows
        self.statements = statements
    }

    /// Every section, in the order of the reference.
    static let table: [Self] =
        constants + grammar + values + adding + finding + changing + scope + objects + remainders
}
