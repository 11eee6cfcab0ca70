// SPDX-License-Identifier: Apache-2.0

import Testing

/// The commands with which CI scripts on macOS prepare a keychain for code signing.
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
    /// The output of `find-identity` for the imported identity, whose chain ends at no system root.
    #if Trust
    private static let valid = ["     0 valid identities found"]
    private static let problem = " (CSSMERR_TP_NOT_TRUSTED)"
    #else
    private static let valid = ["  1) <digest> \"signer\"", "     1 valid identities found"]
    private static let problem = ""
    #endif

    @Test func `the macOS recipe for a signing keychain runs unchanged`() throws {
        let recipe = try PageRecipe.shell(in: "CommandLine.md", after: "continuous integration on macOS")
        let last = "security delete-keychain build.keychain\n"
        try #require(recipe.hasSuffix("\nsecurity find-identity -v -p codesigning\n" + last))
        let result = try home.shell(
            """
            set -e; cd; PASSCODE=passcode PASSPHRASE=canary
            \(recipe.dropLast(last.count))
            security find-identity -p codesigning build.keychain | grep signer | head -n 1
            security list-keychains
            \(last)
            security list-keychains
            """
        )
        #expect(result.code == 0, "\(result.complaintsText)")
        let text = result.outputText.replacing(home.directory, with: "~")
            .replacing(#/[0-9A-F]{40}/#, with: "<digest>")
        let ours = "    \"~/build.keychain\"", login = "    \"~/store\""
        #expect(
            text.split(separator: "\n").map(String.init) == ["1 identity imported."] + Self.valid
                + ["  1) <digest> \"signer\"\(Self.problem)", ours, login, login]
        )
        #expect(result.complaints.isEmpty)
    }
    #endif

    @Test func `an identity for TLS servers is not valid for code signing`() throws {
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
