// SPDX-License-Identifier: Apache-2.0

/// A behaviour of Apple's keychain, and the evidence that this package has it or a reason why not.
struct Statement: Sendable {
    enum Evidence: Sendable {
        case shown(Proof)
        /// This package differs on purpose.
        case differs(Difference.Name)
        /// The behaviour does not apply to this package, for this reason.
        case impossible(String)
        /// The behaviour is planned together with the named feature.
        case later(String)
    }

    let text: String
    let evidence: Evidence
    /// The number of table rows that the statement covers in the private notes on Apple's keychain.
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

    /// Returns a statement whose evidence is a row of the table in `ErrorMatrixTests`.
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

/// A section of Tests/Conformance.md, for a section of the private notes on Apple's keychain.
struct ConformanceSection: Sendable {
    /// The title, which begins with the number of the section in the private notes on Apple's keychain.
    let title: String
    /// The number of table rows in that section of the notes; a statement about the section's prose covers no row.
    let rows: Int
    let statements: [Statement]

    init(_ title: String, rows: Int, _ statements: [Statement]) {
        self.title = title
        self.rows = rows
        self.statements = statements
    }

    /// Every section, in the order of the private notes on Apple's keychain.
    static let table: [Self] =
        constants + grammar + values + adding + finding + changing + scope + authentication + objects
        + remainders

    /// The numbers of the notes' sections about behaviour, and how many sections of Tests/Conformance.md cover each.
    ///
    /// The other sections of the notes are about their sources, the model, and how Apple stores items.
    static let reference: KeyValuePairs<String, Int> = [
        "2.1": 1, "2.2": 1, "2.3": 1, "2.4": 1, "2.5": 1, "3": 1, "4": 2, "4.1": 1, "5": 1, "6.1": 1,
        "6.2": 1,
        "7": 2, "8": 1, "9": 1, "10": 1, "11": 3, "12": 1, "13": 1, "14": 1, "15": 1, "16": 2, "17": 2,
        "18": 2,
        "19": 1, "20": 1, "22": 1, "23": 1, "24": 1,
    ]
}
