// SPDX-License-Identifier: Apache-2.0

import Testing

/// The script that prepares a keychain for signing in CI on macOS.
@Suite struct SigningRecipeTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        let making = try home.shell(
            """
            cd && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=signer -days 30 \
              -addext extendedKeyUsage=codeSigning -keyout key.pem -out certificate.pem 2>&1 &&
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server -days 30 \
              -addext extendedKeyUsage=serverAuth -keyout server.key -out server.pem 2>&1 &&
            openssl pkcs12 -export -inkey key.pem -in certificate.pem -out cert.p12 -passout pass:canary
            """
        )
        try #require(making.code == 0, "\(making.outputText)")
    }

    #if PKCS12
    @Test func `the macOS recipe for a signing keychain runs unchanged`() throws {
        let result = try home.shell(
            """
            set -e; cd
            security create-keychain -p passcode build.keychain
            security list-keychains -d user -s build.keychain $(security list-keychains -d user | tr -d '"')
            security default-keychain -s build.keychain
            security unlock-keychain -p passcode build.keychain
            security set-keychain-settings -lut 21600 build.keychain
            security import cert.p12 -k build.keychain -P canary -T /usr/bin/codesign -A
            security set-key-partition-list -S apple-tool:,apple: -s -k passcode build.keychain
            security find-identity -v -p codesigning
            security find-identity -p codesigning build.keychain | grep -c signer
            security list-keychains
            security delete-keychain build.keychain
            security list-keychains
            """
        )
        #expect(result.code == 0, "\(result.complaintsText)")
        let lines = result.outputText.replacing(home.directory, with: "~").split(separator: "\n").map(
            String.init
        )
        #expect(lines.first == "1 identity imported.")
        let ours = "    \"~/build.keychain\"", login = "    \"~/store\""
        #expect(lines.suffix(3) == [ours, login, login])
        #expect(result.complaints.isEmpty)
    }
    #endif

    @Test func `an identity for servers is not valid for signing code`() throws {
        let result = try home.shell(
            """
            cd; cat key.pem certificate.pem | security import - && cat server.key server.pem | security import - &&
            security find-identity -p codesigning
            """
        )
        #expect(result.code == 0)
        #expect(result.outputText.contains("Policy: Code Signing\n"))
        #expect(result.outputText.contains("\"server\" (Invalid Extended Key Usage for policy)\n"))
        #expect(!result.outputText.contains("\"signer\" (Invalid"))
    }
}
