// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// `import-passwords --from keepass`, with databases that pykeepass has written.
@Suite struct KeePassImportTests {
    private static let fixtures = URL(filePath: #filePath)
        .appending(path: "../../Fixtures").standardizedFileURL.path

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    private func shell(_ line: String) throws -> ToolProcess.Result {
        try home.shell("cd; F=\(Self.fixtures)/keepass; P='canary password'; \(line)")
    }

    #if KeePass
    private static let report = """
        added: 5
        replaced: 0
        skipped: 0
        left out: 6
        earlier versions of entries: 2
        entries in the recycle bin: 1
        attached files: 1
        entry 4: it has no password
        entry 5: its password is a reference to another entry

        """

    @Test(arguments: ["argon2d-aes-gzip", "argon2id-chacha20", "aeskdf-aes"])
    func `entries, fields, one-time codes and expiry are imported`(name: String) throws {
        let result = try shell("printf %s \"$P\" | security import-passwords --from keepass $F/\(name).kdbx")
        #expect(result.complaintsText == "")
        #expect(result.outputText == Self.report)
        let items = try shell(
            """
            security get Safe; security get 'Safe (PIN)'; security get Internet/Mail/Safe/
            security find-internet-password -s mail.example -a alice -P 8443 -j 'first
            second
            group: Internet/Mail
            Recovery hint: blue & <green>' -w
            security list
            security otp 'Internet/Mail/Mail (one-time code)/alice' | wc -c
            """
        )
        #expect(items.complaintsText == "")
        #expect(
            items.outputText == """
                canary säfe
                canary 1234
                canary other safe
                canary mail 3
                Internet/Mail/Mail (one-time code)/alice
                Internet/Mail/Safe/
                Safe (PIN)/\texpires 2031-05-06
                Safe/\texpires 2031-05-06
                9

                """
        )
    }

    @Test func `a database that pykeepass writes now is imported`() throws {
        let result = try shell(
            """
            mkdir made; /usr/bin/python3 $F/../make_keepass.py made argon2d-aes-gzip aeskdf-keyfile || exit
            printf %s "$P" | security import-passwords --from keepass made/argon2d-aes-gzip.kdbx
            printf %s "$P" | security import-passwords --from keepass made/aeskdf-keyfile.kdbx \
                --key-file made/key.keyx -n | head -n 3
            """
        )
        #expect(result.complaintsText == "")
        #expect(
            result.outputText == Self.report + "would be added: 0\nwould be replaced: 0\nskipped: 5\n"
        )
    }

    @Test func `the password comes from a descriptor or standard input, and the source is unchanged`() throws
    {
        let result = try shell(
            """
            cp $F/aeskdf-keyfile.kdbx a.kdbx; chmod 400 a.kdbx; printf %s "$P" > password
            security import-passwords --from keepass a.kdbx --key-file $F/key.keyx --fd 5 5< password -n | head -n 1
            cat a.kdbx | security import-passwords --from keepass - --key-file $F/key.keyx --fd 5 5< password -n | head -n 1
            security import-passwords --from keepass a.kdbx --key-file $F/key.keyx --json < password
            cmp a.kdbx $F/aeskdf-keyfile.kdbx && ls a.kdbx*
            """
        )
        #expect(result.complaintsText == "")
        let json = """
            "leftOut":[{"location":"entry 4","reason":"it has no password"},\
            {"location":"entry 5","reason":"its password is a reference to another entry"}],\
            "omitted":{"earlier versions of entries":2,"entries in the recycle bin":1,"attached files":1}}
            """
        #expect(result.outputText.hasPrefix("would be added: 5\nwould be added: 5\n{"))
        #expect(result.outputText.hasSuffix(json + "\na.kdbx\n"), "\(result.outputText)")
    }

    @Test func `the password is prompted for without echo`() throws {
        let terminal = try Terminal()
        let path = "\(Self.fixtures)/keepass/aeskdf-aes.kdbx"
        let process = try terminal.start(["import-passwords", "--from", "keepass", path, "-n"], in: home)
        try terminal.wait(for: "password of the database: ")
        #expect(!terminal.echoes)
        terminal.type("canary password\n")
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.contains("would be added: 5\n"))
        #expect(!terminal.transcript.contains("canary"))
    }

    static let failures: [(command: String, sentence: String, code: Int32)] = [
        ("printf wrong", "the password or the key file is wrong", 51),
        ("printf ''", "no password was given", 1),
        ("T=$F/key.keyx; printf x", "the file is not a KeePass database", 87),
        ("head -c 1000 $T > t; T=t; printf %s \"$P\"", "the end of the KeePass database is missing", 87),
        (
            "{ head -c 1000 $T; printf '\\377\\377'; tail -c +1003 $T; } > t; T=t; printf %s \"$P\"",
            "the KeePass database is damaged", 87
        ),
        (
            "{ head -c 8 $T; printf '\\1\\0\\3\\0'; tail -c +13 $T; } > t; T=t; printf %s \"$P\"",
            "the file is a KDBX 3 database; save it as KDBX 4 with KeePassXC or KeePass 2.35 or later", 87
        ),
        (
            "{ head -c 8 $T; printf '\\0\\0\\5\\0'; tail -c +13 $T; } > t; T=t; printf %s \"$P\"",
            "the file is a KDBX 5 database, and this command reads KDBX 4; export it as KDBX 4", 87
        ),
        (
            "{ head -c 4 $T; printf '\\145'; tail -c +6 $T; } > t; T=t; printf %s \"$P\"",
            "the file is a database of KeePass 1; open it with KeePassXC, and save it as KDBX 4", 87
        ),
        (
            "T=$F/aeskdf-twofish.kdbx; printf %s \"$P\"",
            "the cipher is not supported; choose AES or ChaCha20 in the settings of the database", 87
        ),
    ]

    @Test(arguments: failures)
    func `each failure has a sentence of its own`(
        row: (command: String, sentence: String, code: Int32)
    ) throws {
        let line = "T=$F/aeskdf-aes.kdbx; \(row.command) > p; security import-passwords --from keepass $T < p"
        let result = try shell(line)
        #expect(result.code == row.code)
        #expect(result.outputText == "")
        let message = result.complaintsText
        #expect(
            message.hasSuffix(": \(row.sentence)\n") || message == "security: \(row.sentence)\n",
            "\(message)"
        )
        #expect(!FileManager.default.fileExists(atPath: home.store))
    }
    #else
    @Test func `a build without the trait reports the missing trait`() throws {
        let result = try shell("security import-passwords --from keepass $F/aeskdf-aes.kdbx")
        #expect(result.complaintsText.hasSuffix("need a build with the package trait KeePass\n"))
    }
    #endif
}
