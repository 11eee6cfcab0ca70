// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainTool
import Testing

/// Files of other password managers, parsed by `import-passwords`.
@Suite struct ImportFormatTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let format: ImportFormat
        let file: String
        /// The imported passwords, each as `account/password`.
        var passwords: [String] = []
        /// The rejected entries, each as `line or entry: reason`.
        var rejected: [String] = []
    }

    static let netrc: [Row] = [
        Row(
            testDescription: "lines that end with a carriage return",
            format: .netrc,
            file:
                "machine a.example\r\nlogin me\r\npassword one\r\nmachine b.example login you password two\r\n",
            passwords: ["me/one", "you/two"]
        ),
        Row(
            testDescription: "values in quotation marks",
            format: .netrc,
            file: #"machine a.example login "my name" password "o\"n\\e two\ttabs""#,
            passwords: ["my name/o\"n\\e two\ttabs"]
        ),
        Row(
            testDescription: "a value on the next line",
            format: .netrc,
            file: "machine\na.example login me password\n  one\n",
            passwords: ["me/one"]
        ),
        Row(
            testDescription: "a value that begins with a number sign",
            format: .netrc,
            file: "# machine x\nmachine a.example # a comment login other\nlogin me password #one\n",
            passwords: ["me/#one"]
        ),
        Row(
            testDescription: "a combining mark after a quotation mark",
            format: .netrc,
            file: "machine a.example login me password \"\u{301}one\"",
            passwords: ["me/\u{301}one"]
        ),
        Row(
            testDescription: "a macro whose lines end with a carriage return",
            format: .netrc,
            file: "macdef init\r\nmachine no\r\n\r\nmachine a.example login me password one",
            passwords: ["me/one"]
        ),
        Row(
            testDescription: "the line of a rejected entry",
            format: .netrc,
            file: "\nmachine a.example\r\n\r\nlogin me\n\nmachine\nb.example",
            rejected: ["line 2: it has no password", "line 6: it has no password"]
        ),
    ]

    static let docker: [Row] = [
        Row(
            testDescription: "an identity token",
            format: .docker,
            file: #"{"auths":{"a.example":{"auth":"YWxpY2U6","identitytoken":"one"}}}"#,
            passwords: ["<token>/one"]
        ),
        Row(
            testDescription: "an empty identity token",
            format: .docker,
            file: #"{"auths":{"a.example":{"auth":"YWxpY2U6b25l","identitytoken":""}}}"#,
            passwords: ["alice/one"]
        ),
        Row(
            testDescription: "an empty password",
            format: .docker,
            file: #"{"auths":{"a.example":{"auth":"YWxpY2U6"}}}"#,
            rejected: ["server 1: it has no password"]
        ),
    ]

    static let others: [Row] = [
        Row(
            testDescription: "a dump whose lines end with a carriage return",
            format: .macos,
            file:
                "keychain: \"x\"\r\nclass: \"genp\"\r\nattributes:\r\n    \"acct\"<blob>=\"me\"\r\ndata:\r\n\"one\"\r\n",
            passwords: ["me/one"]
        ),
        Row(
            testDescription: "a one-time code of an entry with a URL and no name",
            format: .bitwarden,
            file:
                #"{"items":[{"type":1,"login":{"username":"me","totp":"MZXW 6YTB","uris":[{"uri":"https://a.example"}]}}]}"#,
            passwords: ["me/otpauth://totp/imported?secret=MZXW6YTB"]
        ),
        Row(
            testDescription: "a one-time code of another kind",
            format: .bitwarden,
            file:
                #"{"items":[{"type":1,"name":"Game","login":{"username":"me","password":"one","totp":"steam://MZXW6YTB"}}]}"#,
            passwords: ["me/one"],
            rejected: ["entry 1: its one-time code is neither an otpauth: URL nor in base 32"]
        ),
        Row(
            testDescription: "a one-time code that is not base 32",
            format: .onePassword,
            file: "title,url,username,password,otpauth\nBank,,me,one,1081\n",
            passwords: ["me/one"],
            rejected: ["line 2: its one-time code is neither an otpauth: URL nor in base 32"]
        ),
    ]

    private static func string(_ attribute: Attribute, _ item: ImportedPassword) -> String {
        guard case .string(let text)? = item.attributes[attribute] else { return "" }
        return text
    }

    @Test(arguments: netrc + docker + others)
    func `the passwords of a file are parsed`(row: Row) throws {
        let file = try row.format.parse(Array(row.file.utf8))
        let passwords = file.passwords.map {
            Self.string(.account, $0) + "/" + String(decoding: $0.password, as: UTF8.self)
        }
        #expect(passwords == row.passwords)
        #expect(file.rejected.map { "\($0.location): \($0.reason)" } == row.rejected)
    }

    @Test(arguments: [
        #"machine a.example password "one"#, "machine a.example password \"one\n\"", "password one two",
    ])
    func `a netrc file with an unknown or unfinished word is refused`(file: String) {
        #expect(throws: Failure.self) { try ImportFormat.netrc.parse(Array(file.utf8)) }
    }

    @Test func `the name of a one-time code is the URL of an entry without a name`() throws {
        let file = #"{"items":[{"type":1,"login":{"totp":"MZXW6YTB","uris":[{"uri":"https://a.example"}]}}]}"#
        let item = try #require(try ImportFormat.bitwarden.parse(Array(file.utf8)).passwords.first)
        #expect(Self.string(.service, item) == "https://a.example (one-time code)")
    }
}
