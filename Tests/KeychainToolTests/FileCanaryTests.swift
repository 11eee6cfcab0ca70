// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Failing imports and exports leave no passphrase and no private key in messages or files.
///
/// Without the package trait `PKCS12` some of the commands fail because the trait is missing.
@Suite struct FileCanaryTests {
    /// Shell commands that fail, with the package trait `PKCS12` or because it is missing.
    static let failures = [
        "security import archive -P canary-wrong",
        "security import archive -f pkcs12 -P canary-wrong",
        "security -v import archive -P canary-wrong",
        "echo canary-wrong | security import archive -P",
        "security import archive -P canary-right canary-second",
        "security import cut-archive -P canary-right",
        "security import archive -P canary-right --accessible akpu",
        "security import archive -P canary-right --access-group foreign",
        "security import wrapped -P canary-wrong",
        "security import cut-wrapped -P canary-right",
        "security import wrapped -w -P canary-right --accessible akpu",
        "security import key.pem -t cert -P canary-right",
        "security import cut-key -P canary-right",
        "security import traditional -P canary-right",
        "security import nowhere -P canary-right",
        "security export -P canary-right -o nowhere/file",
        "security export -w -P canary-right -o folder",
        "security export -f pkcs8 -t privKeys -P canary-right -o /dev/full",
        "security export -f pkcs12 -t identities -P canary-right -o nowhere/file",
        "echo canary-right | security export -f pkcs12 -t identities -o /dev/full -P",
        "security export -t pubKeys -f pkcs12 -P canary-right -o file",
        "security export -f openssl -P canary-right -o file",
        "security export -f openssh2 -t privKeys -o nowhere/file",
        "security export -f openssl -o nowhere/file",
        "security export -o /dev/full",
    ]

    private let home: TemporaryHome
    /// The bytes to search for: passphrases, and the private key as bytes, hexadecimal digits and PEM lines.
    private let needles: [Data]

    init() throws {
        let home = try TemporaryHome()
        self.home = home
        let making = try home.shell(
            """
            cd && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Good \
            -keyout key.pem -out certificate.pem 2>&1 && mkdir folder &&
            openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass:canary-right -out archive &&
            openssl pkcs8 -topk8 -in key.pem -passout pass:canary-right -outform DER -out wrapped &&
            openssl ec -in key.pem -aes128 -passout pass:canary-right -out traditional 2>&1 &&
            head -c 700 archive > cut-archive && head -c 150 wrapped > cut-wrapped && head -c 200 key.pem > cut-key &&
            openssl ec -in key.pem -out sec1.pem 2>&1 && openssl ec -in key.pem -outform DER -out sec1.der 2>&1 &&
            security import key.pem && security import certificate.pem && security create-keypair -a ec pair
            """
        )
        try #require(making.code == 0, "\(making.complaintsText)")
        func file(_ name: String) throws -> Data {
            try Data(contentsOf: URL(filePath: home.directory + "/" + name))
        }
        // In SEC 1 format, the private scalar follows seven bytes of header and version.
        let scalar = try file("sec1.der").dropFirst(7).prefix(32)
        let digits = scalar.map { String(format: "%02x", $0) }.joined()
        let lines = try ["key.pem", "sec1.pem"].flatMap { name in
            String(decoding: try file(name), as: UTF8.self).split(separator: "\n").filter { $0.count == 64 }
        }
        try #require(scalar.count == 32 && lines.count == 4)
        let texts = ["canary-right", "canary-wrong", "canary-second", digits, digits.uppercased()]
        let spoken: [String] = texts + lines.map { String($0) }
        needles = spoken.map { Data($0.utf8) } + [Data(scalar)]
    }

    /// Returns the paths of all files in the home and runtime directories.
    private func paths() throws -> Set<String> {
        var paths: Set<String> = []
        for folder in [home.directory, home.runtime] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                paths.insert(folder + "/" + path)
            }
        }
        return paths
    }

    /// Returns the paths of files that contain a secret, among the store's files and those not in `known`.
    private func filesWithSecrets(besides known: Set<String>) throws -> [String] {
        try paths().filter { path in
            guard path.hasPrefix(home.store) || !known.contains(path),
                let contents = FileManager.default.contents(atPath: path)
            else { return false }
            return needles.contains { contents.range(of: $0) != nil }
        }.sorted()
    }

    @Test(arguments: Sampling.some(8, of: failures, for: "failures with files"))
    func `a failing command reveals no passphrase and no key`(line: String) throws {
        let before = try paths()
        let result = try home.shell("cd && \(line)")
        #expect(result.code != 0)
        #expect(!result.complaints.isEmpty)
        // The commands' output was redirected to files, so it is searched, too.
        #expect(try filesWithSecrets(besides: before) == [])
    }

    @Test func `the search finds keys and passphrases that were written`() throws {
        let before = try paths()
        #expect(try filesWithSecrets(besides: []).contains(home.directory + "/key.pem"))
        let result = try home.shell(
            """
            cd && security export -t privKeys -f openssl -p -o told.pem && security export -f pkcs8 -t privKeys -p -o other.pem &&
            echo canary-right > told && cat sec1.der > told.der
            """
        )
        try #require(result.code == 0, "\(result.complaintsText)")
        let told = ["other.pem", "told", "told.der", "told.pem"]
        #expect(try filesWithSecrets(besides: before) == told.map { home.directory + "/" + $0 })
    }
}
