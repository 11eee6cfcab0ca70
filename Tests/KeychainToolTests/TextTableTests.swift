// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import KeychainTool
import Testing

@Suite struct TextTableTests {
    private static let table = TextTable(
        header: ["name", "kind", "expires"],
        rows: [
            [.init(text: "mail.example/alice"), .init(text: "password"), .init(text: "")],
            [.init(text: "token/ci"), .init(text: "password"), .init(text: "2020-01-31", colour: 31)],
        ]
    )

    @Test func `columns are aligned, and lines end without spaces`() {
        #expect(
            Self.table.text(width: 80, isColoured: false) == """
                NAME                KIND      EXPIRES
                mail.example/alice  password
                token/ci            password  2020-01-31

                """
        )
    }

    @Test(arguments: [36, 40, 80])
    func `no line is longer than the terminal is wide`(width: Int) {
        let lines = Self.table.text(width: width, isColoured: false).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(lines[1].hasPrefix("mail.exampl"))
    }

    @Test func `a name that is too long ends with an ellipsis`() {
        #expect(Self.table.text(width: 36, isColoured: false).contains("\nmail.example/…  password\n"))
    }

    @Test(arguments: [
        ("ascii", 5), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한국", 4), ("ｆｕｌｌ", 8), ("ｶﾅ", 2), ("🔑", 2),
        ("🇯🇵", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("\u{200B}", 0), ("…", 1), ("𠮷", 2), ("Ω", 1), ("", 0),
    ])
    func `a string has as many columns as a terminal shows`(text: String, columns: Int) {
        #expect(text.terminalColumns == columns)
    }

    @Test func `wide characters are counted as two columns`() {
        let name = String(repeating: "鍵", count: 30)
        let rows: [[TextTable.Cell]] = [
            [.init(text: name + "/me"), .init(text: "password")],
            [.init(text: "ab/me"), .init(text: "password")],
        ]
        let table = TextTable(header: ["name", "kind"], rows: rows)
        let lines = table.text(width: 40, isColoured: false).split(separator: "\n")
        #expect(lines.map(\.terminalColumns) == [36, 40, 40])
        #expect(lines[1] == "\(name.prefix(14))…   password")
    }

    @Test func `a colour surrounds the text only`() {
        let text = Self.table.text(width: 80, isColoured: true)
        #expect(text.contains("password  \u{1B}[31m2020-01-31\u{1B}[m\n"))
        #expect(!text.hasPrefix("\u{1B}"))
    }

    @Test func `an empty column and an empty table are left out`() {
        let rows: [[TextTable.Cell]] = [[.init(text: "a"), .init(text: "")]]
        #expect(
            TextTable(header: ["name", "expires"], rows: rows).text(width: 80, isColoured: false)
                == "NAME\na\n"
        )
        #expect(TextTable(header: ["name"], rows: []).text(width: 80, isColoured: false).isEmpty)
    }

    @Test(arguments: [
        (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false),
        (true, ["TERM": "dumb"], false), (true, ["CLICOLOR": "0"], false), (true, ["CLICOLOR": "1"], true),
        (false, ["CLICOLOR_FORCE": "1"], true), (false, ["CLICOLOR_FORCE": "0"], false),
        (false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
    ])
    func `environment variables decide about colours`(
        onTerminal: Bool,
        variables: [String: String],
        isColoured: Bool
    ) {
        let environment = ["TERM": "xterm"].merging(variables) { $1 }
        #expect(Console.isColoured(onTerminal: onTerminal) { environment[$0] ?? "" } == isColoured)
    }

    @Test func `list prints a table on a terminal, and colours unless NO_COLOR is set`() throws {
        let home = try TemporaryHome()
        try home.run("printf canary | security set token.example/me --expires 2020-01-31")
        try home.run("security add-internet-password -s host.example -a me -w canary")
        for isColoured in [true, false] {
            let terminal = try Terminal()
            var environment = home.environment
            environment["TERM"] = "xterm"
            if !isColoured { environment["NO_COLOR"] = "1" }
            let process = try terminal.start(["list", "--all"], in: environment)
            #expect(try process.wait() == 0)
            terminal.drain()
            let lines = terminal.transcript.split(separator: "\n")
            #expect(
                lines.map { $0.split(separator: " ")[0] } == ["NAME", "host.example/me", "token.example/me"]
            )
            #expect(lines[0].contains("KIND") && lines[0].contains("EXPIRES"))
            #expect(lines[2].hasSuffix(isColoured ? "\u{1B}[31m2020-01-31\u{1B}[m" : "  2020-01-31"))
        }
    }
}
