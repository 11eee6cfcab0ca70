// SPDX-License-Identifier: Apache-2.0

import KeychainTool
import Testing

@Suite struct PasswordPolicyTests {
    @Test(
        arguments: [
            ("lower", 8, "a"..."z", 8), ("digits:3,upper", 12, "0"..."9", 3),
            ("symbols:2,lower", 20, "!"..."/", 0),
        ] as [(String, Int, ClosedRange<Character>, Int)]
    )
    func `a password has the length and the classes of its policy`(
        policy: String,
        length: Int,
        range: ClosedRange<Character>,
        minimum: Int
    ) throws {
        for _ in 0..<50 {
            let password = String(
                decoding: try PasswordPolicy(policy).password(length: length),
                as: UTF8.self
            )
            #expect(password.count == length)
            #expect(password.count(where: range.contains) >= minimum)
        }
    }

    @Test func `an unambiguous password has no characters that look alike`() throws {
        let policy = try PasswordPolicy("lower,upper,digits,symbols,unambiguous")
        let password = try policy.password(length: 1_024)
        #expect(!password.contains { "0O1lI|".utf8.contains($0) })
    }

    @Test func `every character of the standard policy occurs`() throws {
        var seen: Set<UInt8> = []
        for _ in 0..<20 { seen.formUnion(try PasswordPolicy.standard.password(length: 1_024)) }
        #expect(seen.count == 64)
    }

    @Test(arguments: [
        "", "unambiguous", "letters", "digits:", "digits:x", "digits:-1", "lower,,upper", "lower:99999",
    ])
    func `a malformed policy is a usage error`(policy: String) {
        #expect(throws: Failure.self) { try PasswordPolicy(policy) }
    }

    @Test func `a policy that requires more than the length is a usage error`() throws {
        let policy = try PasswordPolicy("lower:6,digits:6")
        #expect(throws: Failure.usage("--length is less than the characters that --policy requires")) {
            try policy.password(length: 8)
        }
    }
}
