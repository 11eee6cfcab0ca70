// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct NormalizedNameTests {
    struct Row: Sendable {
        let what: String
        let name: String
        let content: String

        init(_ what: String, _ name: String, _ content: String) {
            self.what = what
            self.name = name
            self.content = content
        }
    }

    // swift-format-ignore
    static let rows: [Row] = [
        Row("empty name", "3000", ""),
        Row("lowercase letters", "300d 310b 3009 0603550403 1302 6162", "310b 3009 0603550403 1302 4142"),
        Row("the first and last letters", "300f 310d 300b 0603550403 1304 617a415a", "310d 300b 0603550403 1304 415a415a"),
        Row("surrounding blanks", "300f 310d 300b 0603550403 1304 20612020", "310a 3008 0603550403 1301 41"),
        Row("inner blanks", "300f 310d 300b 0603550403 1304 61202062", "310c 300a 0603550403 1303 412042"),
        Row("only blanks", "300d 310b 3009 0603550403 1302 2020", "3109 3007 0603550403 1300"),
        Row("other characters", "3010 310e 300c 0603550403 1305 61407b0962", "310e 300c 0603550403 1305 41407b0942"),
        Row("UTF-8", "300f 310d 300b 0603550403 0c04 20612020", "310d 300b 0603550403 0c04 20612020"),
        Row("IA5", "300d 310b 3009 0603550403 1602 6162", "310b 3009 0603550403 1602 6162"),
        Row("not a string", "300d 310b 3009 0603550403 3002 0500", "310b 3009 0603550403 3002 0500"),
        Row("an unordered set",
            "3018 3116 3009 0603550404 1302 6162 3009 0603550403 1302 6162",
            "3116 3009 0603550404 1302 4142 3009 0603550403 1302 4142"),
        Row("an empty set", "3002 3100", "3100"),
        Row("an arc of 128 bits",
            "3020 311e 301c 0616 6983a0c1e2f3849596a7b8c9d0e1f2838495a6b71701 1302 6162",
            "311e 301c 0616 6983a0c1e2f3849596a7b8c9d0e1f2838495a6b71701 1302 4142"),
    ]

    @Test(arguments: rows)
    func `a name is normalized`(row: Row) throws {
        let name = try #require(NormalizedName(parsing: Data(hex: row.name)), "\(row.what)")
        #expect(name.content == Data(hex: row.content), "\(row.what): \(name.content.hex)")
    }

    @Test(arguments: rows)
    func `normalizing a name twice changes nothing`(row: Row) throws {
        let name = try #require(NormalizedName(parsing: Data(hex: row.name)))
        #expect(NormalizedName(parsing: name.sequence) == name, "\(row.what)")
    }

    // swift-format-ignore
    @Test(arguments: [
        "", "30", "3001", "3080 0000", "308100", "30820000", "3000 00", "3000 3000", "3100", "0500",
        "3002 0500", "3002 3000", "3004 3102 3000", "3009 3107 3005 0603550403", "300b 3109 3007 0603550403 1302",
        "300f 310d 300b 0603550403 1302 6162 0500", "300a 3108 3006 0600 1302 6162", "310b 3009 0603550403 1302 6162",
        "3084ffffffff", "3088ffffffffffffffff", "30890000000000000000ff",
    ])
    func `malformed names and trailing data give nil`(bytes: String) {
        #expect(NormalizedName(parsing: Data(hex: bytes)) == nil)
    }

    @Test func `a certificate is found by its subject in different case`() throws {
        let certificate = try ParsedCertificate(parsing: try CertificateFile.named("printable").data())
        #expect(certificate.commonNames == ["A b  c"])
        let text = String(decoding: certificate.normalizedSubject.content, as: UTF8.self)
        #expect(text.contains("EXAMPLE GMBH") && text.contains("A B C") && text.contains("DE"))
    }

    @Test func `a name with long-form lengths is encoded correctly`() throws {
        // A PrintableString of 200 lowercase letters, so that each enclosing length has two bytes.
        let letters = Data(repeating: 0x61, count: 200)
        let name = Data(hex: "3081d6 3181d3 3081d0 0603550403 1381c8") + letters
        let normalized = try #require(NormalizedName(parsing: name))
        #expect(normalized.sequence == name.dropLast(200) + Data(repeating: 0x41, count: 200))
        #expect(normalized.content == normalized.sequence.dropFirst(3))
    }
}
