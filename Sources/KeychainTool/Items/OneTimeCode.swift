// SPDX-License-Identifier: Apache-2.0

package import KeychainObjects

/// The parameters of time-based one-time codes (RFC 6238), from an `otpauth:` URL.
package struct OneTimeCode {
    private let key: [UInt8]
    private let algorithm: MessageAuthentication
    package let digits: Int
    /// The number of seconds for which a code is valid.
    package let period: Int

    package init(key: [UInt8], algorithm: MessageAuthentication, digits: Int = 6, period: Int = 30) {
        (self.key, self.algorithm, self.digits, self.period) = (key, algorithm, digits, period)
    }

    /// Parses a URL; the error names the faulty part, and never the value of a parameter.
    package init(url: String) throws(Failure) {
        let scheme = "otpauth://"
        guard url.prefix(scheme.count).lowercased() == scheme else { throw Self.invalid("the scheme") }
        let rest = url.dropFirst(scheme.count)
        let type = rest.prefix { $0 != "/" && $0 != "?" }.lowercased()
        guard type == "totp" else {
            let name = type == "hotp" ? "the type hotp" : "an unknown type"
            throw .message("the otpauth: URL is of \(name), and only totp is supported", result: 1)
        }
        var values: [String: String] = [:]
        let query = rest.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[parts[0].lowercased()] = PercentText.decoded(parts.count == 2 ? parts[1] : "")
        }
        guard let secret = values["secret"], let key = Base32.bytes(of: secret), !key.isEmpty else {
            throw Self.invalid("secret")
        }
        let name = (values["algorithm"] ?? "SHA1").uppercased().filter { $0 != "-" }
        guard let algorithm = MessageAuthentication(rawValue: name) else { throw Self.invalid("algorithm") }
        guard let digits = Int(values["digits"] ?? "6"), (6...8).contains(digits) else {
            throw Self.invalid("digits")
        }
        guard let period = Int(values["period"] ?? "30"), (1...86_400).contains(period) else {
            throw Self.invalid("period")
        }
        self.init(key: key, algorithm: algorithm, digits: digits, period: period)
    }

    private static func invalid(_ parameter: String) -> Failure {
        .message("the otpauth: URL is invalid: \(parameter)", result: 1)
    }

    /// The code at a time in seconds since 1970-01-01 00:00 UTC.
    package func code(at seconds: Int) throws(Failure) -> String {
        let counter = UInt64(max(0, seconds) / period)
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
        guard let digest = algorithm.code(of: message, key: key), let last = digest.last else {
            throw .message("one-time codes need a build with the package trait Objects", result: -4)
        }
        // RFC 4226, section 5.3: the last four bits of the digest are the offset of
        // four bytes, whose first bit is ignored.
        let offset = Int(last & 15)
        let number = digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        let modulus = (0..<digits).reduce(UInt32(1)) { value, _ in value * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The number of seconds from a time until its code expires; the time is in seconds since 1970.
    package func remaining(at seconds: Int) -> Int { period - max(0, seconds) % period }
}

/// Base 32 (RFC 4648).
package enum Base32 {
    /// Decodes base 32, ignoring spaces, hyphens and padding; `nil` if the string contains any other character.
    package static func bytes(of text: String) -> [UInt8]? {
        var (bytes, buffer, bits) = ([] as [UInt8], UInt32(0), 0)
        for character in text.utf8 where !" -=".utf8.contains(character) {
            guard let value = value(of: character) else { return nil }
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: nil
        }
    }
}

package enum PercentText {
    /// The decoded string; `nil` if it is malformed or not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        var (bytes, rest) = ([] as [UInt8], Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.count == 2, let value = BlobText.bytes(hexadecimal: digits)?.first else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
