// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

/// Attributes with control characters, which could change what a terminal shows.
@Suite struct ControlCharacterTests {
    private static let preparation = """
        cd
        E=$(printf 'a\\033[2J\\rb\\tc\\nd\\302\\233e')
        printf canary | security set "$E/$E"
        security edit "$E/$E" --label "$E" --comment "$E" --kind "$E"
        security add-internet-password -s "$E" -a "$E" -d "$E" -p "$E" -l "$E" -j "$E" -w canary
        security create-keypair -a ec "$E"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$E" -keyout key.pem \\
            -out certificate.pem 2>/dev/null
        cat key.pem certificate.pem > both.pem
        security import both.pem
        printf 'name,url,username,password,note\\n"%s",,,,\\n' "$E" > logins.csv
        """

    static let commands = [
        "list", "list --all", "list --json --all", "dump-keychain -d", "dump-keychain --json",
        "find-generic-password",
        "find-generic-password -g", "find-internet-password", "find-internet-password --json", "find-key",
        "find-certificate -a", "find-identity", "doctor", "verify", "show-keychain-info", "get \"$E/$E\"",
        "get \"$E/missing\"", "rm \"$E/missing\"", "otp \"$E/$E\"",
        "find-generic-password -s \"$E\" -a missing",
        "import-passwords --from chrome logins.csv", "import \"$E\"", "backup \"$E/file\" -P canary",
        "unlock-keychain \"$E\"", "\"$E\"", "list \"--$E\"", "codesign verify \"$E\"", "error \"$E\"",
        "verify-cert -c certificate.pem", "netrc \"$E\"", "aws-credential \"$E\"",
    ]

    @Test func `no verb prints a control character of an attribute or argument on a terminal`() throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        for command in Self.commands {
            let terminal = try Terminal()
            let line =
                "cd; \(Self.preparation.split(separator: "\n")[1]); NO_COLOR=1 exec security \(command)"
            let process = try terminal.start("/bin/sh", ["-c", line], in: home.environment)
            _ = try process.wait()
            terminal.drain()
            let shown = terminal.transcript.unicodeScalars
            // With NO_COLOR, erasing a progress bar is the only escape sequence of the program itself.
            let text = String(shown).replacing("\r\u{1B}[K", with: "").replacing(#/\r\w+ \[/#, with: "")
            let controls = text.unicodeScalars.filter {
                $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
            }
            #expect(controls.isEmpty, "\(command): \(text.debugDescription)")
        }
    }
}
