// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@Suite struct CanaryTests {
    /// Commands that fail, and contain "canary" as a password or as a word of an unquoted password.
    static let failures = [
        "add-generic-password -a me -s taken -w canary",
        "add-generic-password -a me -w canary",
        "add-generic-password -a me -s s -w canary -X canary",
        "add-generic-password -a me -s s -X canary",
        "add-generic-password -a me -s s -w one canary",
        "add-generic-password -a me -s s -w one two canary",
        "add-generic-password -a me -s s -w one --canary=canary -w canary -h -c canary",
        "add-generic-password -a me -s s --access-group foreign -w canary",
        "add-generic-password -a me -s s --accessible nonsense -w canary",
        "add-generic-password -U -a me -s s --access-group foreign -w canary",
        "add-internet-password -a me -s s -P canary",
        "add-internet-password -a me -s s -r canary -w canary",
        "find-generic-password -c canary",
        "delete-generic-password canary",
        "create-keychain one canary",
        "error canary",
        "help canary",
        "-p prompt -w canary",
        "-wcanary",
    ]

    @Test(arguments: ["find-generic-password -s s canary", "dump-keychain canary", "lock-keychain canary"])
    func `the error repeats a mistyped operand if there is no password`(command: String) throws {
        let result = try TemporaryHome().shell("security \(command)")
        #expect(result.code == 50)
        #expect(result.complaintsText.contains("\"canary\""))
    }

    @Test(arguments: Sampling.some(8, of: failures, for: "failures with passwords"))
    func `an error message does not repeat a password`(command: String) throws {
        let home = try TemporaryHome()
        _ = try home.security("add-generic-password", "-a", "me", "-s", "taken", "-w", "canary")
        // With -v the command prints attributes, so -v is not tested with commands that have "canary" as an
        // attribute.
        let isVerbose = !["-c canary", "-r canary", "-P canary"].contains { command.contains($0) }
        for arguments in [command] + (isVerbose ? ["-v \(command)"] : []) {
            let result = try home.shell("security \(arguments)")
            // For an unknown option the message repeats its name, but nothing after an equals sign.
            let complaints = result.complaintsText.replacing("illegal option -- canary", with: "")
            #expect(!complaints.contains("canary"))
            #expect(!result.outputText.contains("canary"))
        }
        let interactive = try home.security(
            isVerbose ? "-iv" : "-i",
            input: Array("\(command)\ncanary canary\n".utf8)
        )
        #expect(
            !interactive.complaintsText.replacing("illegal option -- canary", with: "").contains("canary")
        )
    }
}

@Suite struct ConcurrentCommandTests {
    @Test func `eight processes update one item and none fails`() throws {
        let home = try TemporaryHome()
        let result = try home.shell(
            """
            for number in 1 2 3 4 5 6 7 8; do
                { security add-generic-password -U -a me -s service -w "value $number"; echo $?; } &
            done
            wait
            """
        )
        #expect(result.outputText == String(repeating: "0\n", count: 8))
        #expect(result.complaintsText.isEmpty)
        #expect(try home.security("find-generic-password", "-ws", "service").outputText.hasPrefix("value "))
        #expect(try home.shell("security dump-keychain | grep -c ^keychain:").outputText == "1\n")
    }

    @Test func `eight processes add one item and one succeeds`() throws {
        let home = try TemporaryHome()
        let result = try home.shell(
            """
            for number in 1 2 3 4 5 6 7 8; do
                { security add-generic-password -a me -s service -w "value $number" 2> /dev/null; echo $?; } &
            done
            wait
            """
        )
        let codes = result.outputText.split(separator: "\n").sorted()
        #expect(codes == ["0"] + Array(repeating: "45", count: 7))
    }
}
