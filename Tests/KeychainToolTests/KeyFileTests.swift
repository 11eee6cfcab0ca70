// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Key files written by `openssl`, `ssh-keygen` or the command can be read by the others.
@Suite struct KeyFileTests {
    static let kinds: [String: String] = [
        "rsa": "RSA -pkeyopt rsa_keygen_bits:2048",
        "p256": "EC -pkeyopt ec_paramgen_curve:P-256",
        "p384": "EC -pkeyopt ec_paramgen_curve:P-384",
        "p521": "EC -pkeyopt ec_paramgen_curve:P-521",
    ]

    /// Shell commands that write the private key in `key.pem` to `file`, in different formats.
    static let privateFiles: [String] = [
        "cp key.pem file",
        "openssl pkey -in key.pem -traditional -out file",
        "openssl pkey -in key.pem -outform DER -out file",
        "openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out file",
        "(echo Bag Attributes; cat key.pem) > file",
        "sed 's/$/\\r/' key.pem > file",
    ]

    /// Shell commands that write the public key in `public.pem` to `file`, in different formats.
    static let publicFiles: [String] = [
        "cp public.pem file",
        "openssl pkey -pubin -in public.pem -outform DER -out file",
        "ssh-keygen -i -m PKCS8 -f public.pem > file",
        "(echo '# comment'; ssh-keygen -i -m PKCS8 -f public.pem | sed 's/$/ a comment/') > file",
    ]

    /// Options of `security export`, and a shell command that reads the export `out` and prints its public key
    /// as PEM.
    static let privateExports: [(options: String, reader: String)] = [
        ("-f openssl", "openssl pkey -inform DER -in out -pubout"),
        ("-f openssl -p", "openssl pkey -in out -pubout"),
        ("-f bsafe", "openssl pkey -inform DER -in out -pubout"),
        ("-f bsafe -p", "openssl pkey -in out -pubout"),
        ("-f pkcs8", "openssl pkey -inform DER -in out -pubout"),
        ("-f pkcs8 -p", "ssh-keygen -y -f out > line && ssh-keygen -e -m PKCS8 -f line"),
        ("", "openssl pkey -in out -pubout"),
    ]

    static let publicExports: [(options: String, reader: String)] = [
        ("-f openssl", "openssl pkey -pubin -inform DER -in out"),
        ("-f openssl -p", "openssl pkey -pubin -in out"),
        ("-f openssh2", "ssh-keygen -e -m PKCS8 -f out"),
        ("-f openssh2", "ssh-keygen -l -f out > fingerprint && cat public.pem"),
        ("", "openssl pkey -pubin -in out"),
    ]

    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Runs a shell command in the test's directory, which must succeed, and returns its output.
    @discardableResult
    private func sh(_ line: String) throws -> String {
        let result = try home.shell("cd && \(line)")
        try #require(result.code == 0, "\(line): \(result.complaintsText)")
        return result.outputText
    }

    private func makeKey(_ kind: String) throws {
        try sh(
            "openssl genpkey -algorithm \(#require(Self.kinds[kind])) -out key.pem 2>&1 && chmod 600 key.pem"
        )
        try sh("openssl pkey -in key.pem -pubout -out public.pem")
    }

    @Test(arguments: Sampling.some(2, of: kinds.keys.sorted(), for: "keys to read"), privateFiles)
    func `a private key in any supported format is imported`(kind: String, file: String) throws {
        try makeKey(kind)
        try sh(file)
        #expect(try sh("security import file") == "1 key imported.\n")
        try sh("security export -t privKeys -f openssl -p -o out")
        #expect(try sh("openssl pkey -in out -pubout") == sh("cat public.pem"))
    }

    @Test(arguments: Sampling.some(2, of: kinds.keys.sorted(), for: "public keys to read"), publicFiles)
    func `a public key in any supported format is imported`(kind: String, file: String) throws {
        try makeKey(kind)
        try sh(file)
        #expect(try sh("security import file -t pub") == "1 key imported.\n")
        #expect(try sh("security export -t pubKeys -f openssl -p") == sh("cat public.pem"))
    }

    @Test(arguments: Sampling.some(2, of: kinds.keys.sorted(), for: "keys to write"), privateExports)
    func `other tools read an exported private key`(
        kind: String,
        row: (options: String, reader: String)
    ) throws {
        try makeKey(kind)
        try sh("security import key.pem && security export -t privKeys \(row.options) -o out")
        #expect(try sh(row.reader) == sh("cat public.pem"))
    }

    @Test(arguments: Sampling.some(2, of: kinds.keys.sorted(), for: "public keys to write"), publicExports)
    func `other tools read an exported public key`(
        kind: String,
        row: (options: String, reader: String)
    ) throws {
        try makeKey(kind)
        try sh("security import public.pem && security export -t pubKeys \(row.options) -o out")
        #expect(try sh(row.reader) == sh("cat public.pem"))
    }

    @Test func `bsafe exports an RSA public key as PKCS#1`() throws {
        try makeKey("rsa")
        try sh("security import public.pem && security export -t pubKeys -f bsafe -p -o out")
        #expect(try sh("openssl rsa -RSAPublicKey_in -in out -pubout 2>&1").hasSuffix(sh("cat public.pem")))
    }

    @Test func `openssl signs with a generated key pair`() throws {
        try sh("security create-keypair -a ec pair && security export -t privKeys -o out")
        try sh("security export -t pubKeys -f openssl -p -o public.pem")
        try sh("echo text > text && openssl dgst -sha256 -sign out -out signature text")
        #expect(
            try sh("openssl dgst -sha256 -verify public.pem -signature signature text") == "Verified OK\n"
        )
    }

    @Test func `a certificate chain and its key are imported and exported together`() throws {
        try makeKey("p256")
        try sh("openssl req -x509 -new -key key.pem -subj /CN=Leaf -days 2 -out leaf.pem")
        try sh(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout other -subj /CN=Root -days 2 -out root.pem 2>&1"
        )
        try sh("cat leaf.pem root.pem key.pem > chain.pem")
        #expect(try sh("security import chain.pem") == "1 key imported.\n2 certificates imported.\n")
        try sh("security export -o out")
        #expect(try sh("grep -c BEGIN out") == "3\n")
        #expect(try sh("openssl x509 -in out -pubkey -noout") == sh("cat public.pem"))
        #expect(try sh("openssl pkey -in out -pubout") == sh("cat public.pem"))
        #expect(
            try sh("security export -t certs -f x509 | openssl x509 -inform DER -noout -subject")
                == "subject=CN = Root\n"
        )
        #expect(
            try sh("security find-certificate -c Leaf -Z | grep SHA-256 | cut -c 15-")
                == sh("openssl x509 -in leaf.pem -outform DER | sha256sum | cut -c 1-64 | tr a-f A-F")
        )
    }
}
