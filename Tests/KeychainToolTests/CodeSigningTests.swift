// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainTestSupport
import Testing

@Suite struct CodeSigningTests {
    private let home: TemporaryHome
    private var program: String { home.directory + "/program" }
    private var teams: String { home.directory + "/teams" }

    init() throws {
        home = try TemporaryHome()
        try home.run("printf 'int main(void) { return 0; }' > \"$HOME/program.c\"")
    }

    private func compile(_ options: String = "") throws {
        try home.run("cc -o \"$HOME/program\" \"$HOME/program.c\" \(options)")
    }

    private func makeTeam() throws {
        try home.run(
            """
            printf canary | security codesign create-team -n Example -o "$HOME/keys" --passcode-fd 0
            mkdir -m 755 "$HOME/teams" && cp "$HOME"/*.team "$HOME/teams"
            """
        )
    }

    private func sign(_ options: String = "") throws -> ToolProcess.Result {
        try home.shell(
            "printf canary | security codesign sign -s \"$HOME/keys\" -i program \(options) --passcode-fd 0 \"$HOME/program\""
        )
    }

    private func verify() throws -> ToolProcess.Result {
        try home.security("codesign", "verify", "--teams", teams, program)
    }

    @Test func `a compiled program is signed, runs and is verified`() throws {
        try compile()
        try makeTeam()
        let signed = try sign()
        #expect(signed.code == 0)
        #expect(signed.complaintsText.isEmpty)
        try home.run("\"$HOME/program\"")
        #expect(try verify().code == 0)
        try compile("-O2 -DCHANGED -g")
        let result = try verify()
        #expect(result.code == 1)
        #expect(result.complaintsText.contains("the executable has changed"))
    }

    @Test(arguments: ["-static", "-no-pie"])
    func `executables of other kinds are signed`(options: String) throws {
        try compile(options)
        try makeTeam()
        #expect(try sign().code == 0)
        #expect(try verify().code == 0)
    }

    @Test(arguments: [
        ("'-Wl,-rpath,$ORIGIN/../lib'", "$ORIGIN"), ("'-Wl,-rpath,${ORIGIN}'", "$ORIGIN"),
        ("-Wl,-rpath,/tmp/lib", "/tmp/lib"), ("-Wl,--disable-new-dtags,-rpath,relative", "relative"),
    ])
    func `signing warns of libraries that other users may replace`(options: String, named: String) throws {
        try compile(options)
        try makeTeam()
        let result = try sign()
        #expect(result.code == 0)
        #expect(result.complaintsText.hasPrefix("security: warning: "))
        #expect(result.complaintsText.contains(named))
    }

    @Test func `a library directory of root causes no warning`() throws {
        try compile("-Wl,-rpath,/usr/lib:/usr/lib/missing")
        try makeTeam()
        #expect(try sign().complaintsText.isEmpty)
    }

    @Test func `a signature in an extended attribute survives a copy with attributes and a deletion`() throws
    {
        try compile()
        try makeTeam()
        let signed = try sign("--xattr")
        guard !signed.complaintsText.contains("not supported") else { return }
        #expect(signed.code == 0)
        #expect(!FileManager.default.fileExists(atPath: program + ".signature"))
        #expect(try verify().code == 0)
        try home.run("mv \"$HOME/program\" \"$HOME/other\" && mv \"$HOME/other\" \"$HOME/program\"")
        #expect(try verify().code == 0)
    }

    @Test func `signing with a file removes an earlier attribute`() throws {
        try compile()
        try makeTeam()
        #expect(try sign("--xattr").code == 0)
        try compile("-O2 -g")
        #expect(try sign().code == 0)
        #expect(try verify().code == 0)
        #expect(SignatureSource.read(program) == (try signatureFile()))
    }

    private func signatureFile() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: program + ".signature")))
    }

    @Test(arguments: [
        (until: UInt64(1), expires: UInt64(0), "signing key has expired"), (0, 1, "signature has expired"),
    ])
    func `an expired signature is not trusted`(until: UInt64, expires: UInt64, message: String) throws {
        try compile()
        let keys = TeamKeys(makingTeam: "Example", validUntil: until)
        let signature = try keys.sign(
            OpenExecutable(program).digest(),
            SignedEntitlements(identifier: "program", accessGroups: [], applicationGroups: []),
            at: 0,
            expires: expires,
            isGroupLevelOnly: false
        )
        try Data(signature.bytes).write(to: URL(filePath: program + ".signature"))
        try home.run("mkdir -m 755 \"$HOME/teams\"")
        let file = teams + "/" + TeamFile.name(of: keys.team)
        try Data(keys.file(group: nil).utf8).write(to: URL(filePath: file))
        chmod(file, 0o644)
        let result = try verify()
        #expect(result.code == 3)
        #expect(result.complaintsText.contains(message))
    }

    @Test func `a passcode is typed at a terminal`() throws {
        let terminal = try Terminal()
        let process = try terminal.start(
            ["codesign", "create-team", "-n", "Example", "-o", home.directory + "/keys"],
            in: home
        )
        try terminal.wait(for: "passcode for the team's keys: ")
        terminal.type("canary\n")
        try terminal.wait(for: "retype the passcode: ")
        terminal.type("canary\n")
        #expect(try process.wait() == 0)
        try compile()
        #expect(try sign().code == 0)
    }

    @Test func `signing needs the passcode of the keys`() throws {
        try compile()
        try makeTeam()
        let result = try home.shell(
            "printf wrong | security codesign sign -s \"$HOME/keys\" -i program --passcode-fd 0 \"$HOME/program\""
        )
        #expect(result.code == 51)
        #expect(!FileManager.default.fileExists(atPath: program + ".signature"))
    }

    @Test func `the keys are private and sealed`() throws {
        try makeTeam()
        let attributes = try FileManager.default.attributesOfItem(atPath: home.directory + "/keys")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let bytes = try Data(contentsOf: URL(filePath: home.directory + "/keys"))
        #expect(bytes.range(of: Data("Example".utf8)) == nil)
    }
}
