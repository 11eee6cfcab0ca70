// SPDX-License-Identifier: Apache-2.0

import KeychainObjects
import KeychainTool
import Testing

@Suite struct OneTimeCodeTests {
    /// The test vectors of RFC 6238, appendix B: a time and the code for each hash function.
    static let vectors: [(time: Int, sha1: String, sha256: String, sha512: String)] = [
        (59, "94287082", "46119246", "90693936"),
        (1_111_111_109, "07081804", "68084774", "25091201"),
        (1_111_111_111, "14050471", "67062674", "99943326"),
        (1_234_567_890, "89005924", "91819424", "93441116"),
        (2_000_000_000, "69279037", "90698825", "38618901"),
        (20_000_000_000, "65353130", "77737706", "47863826"),
    ]

    /// Returns the key of the test vectors: the digits 1 to 9 and 0, repeated up to the size of the hash.
    private static func key(_ count: Int) -> [UInt8] {
        (1...count).map { UInt8(ascii: "0") + UInt8($0 % 10) }
    }

    @Test(arguments: vectors)
    func `the codes are those of RFC 6238`(
        vector: (time: Int, sha1: String, sha256: String, sha512: String)
    ) throws {
        let expected = [
            (MessageAuthentication.sha1, 20, vector.sha1), (.sha256, 32, vector.sha256),
            (.sha512, 64, vector.sha512),
        ]
        for (algorithm, count, code) in expected {
            let parameters = OneTimeCode(key: Self.key(count), algorithm: algorithm, digits: 8)
            #expect(try parameters.code(at: vector.time) == code)
        }
    }

    @Test func `the parameters of a URL are used`() throws {
        let url =
            "OTPAUTH://totp/Ex%20ample:me?secret=gezd-gnbv GY3TQOJQ%47EZDGNBVGY3TQOJQ%3D&period=60&digits=7"
        let parameters = try OneTimeCode(url: url)
        let expected = OneTimeCode(key: Self.key(20), algorithm: .sha1, digits: 7, period: 60)
        #expect(try parameters.code(at: 1_111_111_109) == expected.code(at: 1_111_111_109))
        #expect(parameters.period == 60)
        #expect(parameters.remaining(at: 59) == 1)
        #expect(parameters.remaining(at: 60) == 60)
    }

    @Test(arguments: [
        ("otpauth://totp/a", "secret"), ("otpauth://totp/a?secret=", "secret"),
        ("otpauth://totp/a?secret=0canary", "secret"),
        ("otpauth://totp/a?secret=AAAA&digits=5", "digits"),
        ("otpauth://totp/a?secret=AAAA&digits=9", "digits"),
        ("otpauth://totp/a?secret=AAAA&digits=x", "digits"),
        ("otpauth://totp/a?secret=AAAA&period=0", "period"),
        ("otpauth://totp/a?secret=AAAA&algorithm=MD5", "algorithm"),
        ("otpauth://totp/a?secret=%zz", "secret"), ("otpauth:totp", "the scheme"),
        ("otpauth://hotp/a?secret=AAAA&counter=1", "hotp"),
        ("otpauth://canary/a?secret=AAAA", "an unknown type, and only totp is supported"),
    ])
    func `an invalid URL is refused without repeating it`(url: String, named: String) throws {
        do throws(Failure) {
            _ = try OneTimeCode(url: url)
            Issue.record("accepted")
        } catch {
            guard case .message(let text, _) = error else { throw error }
            #expect(text.contains(named))
            #expect(!text.contains("canary") && !text.contains("AAAA"))
        }
    }

    /// The test vectors of RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("MY======", "f"), ("MZXQ====", "fo"), ("MZXW6===", "foo"), ("MZXW6YQ=", "foob"),
        ("MZXW6YTB", "fooba"), ("MZXW6YTBOI======", "foobar"), ("mzxw 6ytb", "fooba"),
    ])
    func `base 32 is decoded`(text: String, bytes: String) {
        #expect(Base32.bytes(of: text) == Array(bytes.utf8))
    }
}
