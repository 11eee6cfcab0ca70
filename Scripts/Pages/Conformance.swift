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
        constants + grammar + values + adding + finding + changing + scope + authentication + objects
        + remainders

    /// The sections of the reference that say what the keychain does, with how many parts each is told in.
    ///
    /// Those that are missing speak of the reference itself, of the model, and of how Apple stores items.
    static let reference: KeyValuePairs<String, Int> = [
        "2.1": 1, "2.2": 1, "2.3": 1, "2.4": 1, "2.5": 1, "3": 1, "4": 2, "4.1": 1, "5": 1, "6.1": 1,
        "6.2": 1,
        "7": 2, "8": 1, "9": 1, "10": 1, "11": 3, "12": 1, "13": 1, "14": 1, "15": 1, "16": 2, "17": 2,
        "18": 2,
        "19": 1, "20": 1, "22": 1, "23": 1, "24": 1,
    ]
}
