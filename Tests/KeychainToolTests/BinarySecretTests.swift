// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@Suite struct BinarySecretTests {
    struct Secret: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]

        init(_ description: String, _ bytes: [UInt8]) {
            testDescription = description
            self.bytes = bytes
        }
    }

    /// A large secret: ten megabytes in a thorough run, otherwise one.
    private static let large: Secret = {
        let megabytes = Sampling.isThorough ? 10 : 1
        let block = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        return Secret("\(megabytes) MB", (0..<megabytes).flatMap { _ in block })
    }()

    static let secrets: [Secret] = [
        Secret("empty", []),
        Secret("a newline at the end", Array("line\n".utf8)),
        Secret("only newlines", Array("\n\n\n".utf8)),
        Secret("a newline inside", Array("one\ntwo".utf8)),
        Secret("a space at the start", Array(" leading".utf8)),
        Secret("backslashes", Array(#"a\\b\n"#.utf8)),
        Secret("a NUL", [0x61, 0, 0x62]),
        Secret("not UTF-8", [0xff, 0xfe, 0xc3, 0x28]),
        Secret("digits that look like hexadecimal", Array("deadbeef00112233".utf8)),
        Secret("every byte", Array(0...255)),
        large,
    ]

    @Test(arguments: secrets.filter { !$0.bytes.isEmpty })
    func `a password from standard input is printed with --raw byte for byte`(secret: Secret) throws {
        let home = try TemporaryHome()
        // A single final newline in the input is not part of the password.
        let added = try home.security(
            "add-generic-password",
            "-a",
            "me",
            "-s",
            "service",
            "-w",
            input: secret.bytes + [UInt8(ascii: "\n")]
        )
        #expect(added.code == 0)
        let found = try home.security("find-generic-password", "-a", "me", "-s", "service", "--raw")
        #expect(found.code == 0)
        let isSame = found.output == secret.bytes
        #expect(isSame)
        #expect(found.complaints.isEmpty)
    }

    @Test(arguments: secrets.filter { $0.bytes.count < 1_000 })
    func `a password given with -X is printed by -w as on macOS`(secret: Secret) throws {
        let home = try TemporaryHome()
        let digits = secret.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(
            try home.security("add-internet-password", "-a", "me", "-s", "server", "-X", digits).code == 0
        )
        let found = try home.security("find-internet-password", "-a", "me", "-w")
        let isLine = secret.bytes.allSatisfy { (0x20...0x7e).contains($0) }
        #expect(found.outputText == (isLine ? String(decoding: secret.bytes, as: UTF8.self) : digits) + "\n")
    }

    @Test func `standard input without a final newline is used completely`() throws {
        let home = try TemporaryHome()
        let input = Array("no newline".utf8)
        #expect(
            try home.security("add-generic-password", "-a", "me", "-s", "s", "-w", input: input).code == 0
        )
        #expect(try home.security("find-generic-password", "-s", "s", "--raw").output == input)
    }

    @Test func `an argument that is not UTF-8 is rejected, not repaired`() throws {
        let home = try TemporaryHome()
        let result = try home.shell(#"security add-generic-password -a me -s s -w "$(printf 'a\377b')""#)
        #expect(result.code == 2)
        #expect(try home.security("find-generic-password", "-s", "s").code == 44)
    }

    @Test func `a command whose output cannot be written fails`() throws {
        let home = try TemporaryHome()
        _ = try home.security("add-generic-password", "-a", "me", "-s", "s", "-w", "secret")
        let result = try home.shell("security find-generic-password -s s -w > /dev/full")
        #expect(result.code == 1)
        #expect(result.complaintsText == "security: standard output: No space left on device\n")
    }
}
