// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct MacOSScriptTests {
    private static let script = URL(filePath: #filePath)
        .appending(path: "../../Fixtures/macos-script.sh").standardizedFileURL.path

    @Test func `a script with typical calls runs unchanged`() throws {
        let calls = try String(contentsOfFile: Self.script, encoding: .utf8).matches(of: /\bsecurity [a-z]/)
        #expect(calls.count >= 20)
        let result = try TemporaryHome().shell("cd; bash \(Self.script)")
        #expect(result.complaintsText == "")
        #expect(result.code == 0)
        let expected = """
            build
            1 identity imported.
            1
            subject=CN = Developer: Me
            40
            new "canary"
            "new "canary""
            me
            web canary
            1
            password has been deleted.
            password has been deleted.
            code 44
            Error: 0xFFFF9D2C -25300 The specified item could not be found in the keychain.
            code 51
            0

            """
        // OpenSSL 3.2 and later print no spaces around the equals sign.
        #expect(result.outputText.replacing("CN=Dev", with: "CN = Dev") == expected)
    }
}
