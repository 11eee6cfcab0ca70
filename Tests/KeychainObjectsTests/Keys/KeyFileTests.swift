// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Key files that `openssl`, Python's `cryptography` or this package writes, and the others read.
@Suite struct KeyFileTests {
    /// A file format, and the `openssl` command that converts `key.pem` to it.
    struct Form: Sendable, CustomTestStringConvertible {
        let format: KeyFormat
        let half: KeyHalf
        let isRSA: Bool
        let command: String
        var testDescription: String { "\(format) \(half) \(isRSA ? "RSA" : "EC")" }
    }

    // swift-format-ignore
    static let forms: [Form] = [
        Form(format: .pkcs1,                half: .private, isRSA: true,  command: "rsa -in key.pem -traditional"),
        Form(format: .pkcs1,                half: .public,  isRSA: true,  command: "rsa -in key.pem -RSAPublicKey_out"),
        Form(format: .pkcs8,                half: .private, isRSA: true,  command: "pkcs8 -topk8 -nocrypt -in key.pem"),
        Form(format: .pkcs8,                half: .private, isRSA: false, command: "pkcs8 -topk8 -nocrypt -in key.pem"),
        Form(format: .sec1,                 half: .private, isRSA: false, command: "ec -in key.pem"),
        Form(format: .subjectPublicKeyInfo, half: .public,  isRSA: true,  command: "pkey -in key.pem -pubout"),
        Form(format: .subjectPublicKeyInfo, half: .public,  isRSA: false, command: "pkey -in key.pem -pubout"),
    ]

    private func samples(_ form: Form) throws -> [SampleKey] {
        try SampleKey.all().filter { ($0.privateKey.type == .rsa) == form.isRSA }
    }

    @Test(arguments: forms)
    func `a key is exported byte for byte like openssl`(form: Form) throws {
        for sample in try samples(form) {
            let key = form.half == .private ? sample.privateKey : sample.publicKey
            #expect(
                try key.exported(as: form.format) == sample.folder.openssl(form.command + " -outform DER")
            )
            let pem = try key.exportedBlock(as: form.format).text
            #expect(pem == String(decoding: try sample.folder.openssl(form.command), as: UTF8.self))
        }
    }

    @Test(arguments: forms)
    func `a key exported by openssl is parsed`(form: Form) throws {
        for sample in try samples(form) {
            let key = form.half == .private ? sample.privateKey : sample.publicKey
            #expect(try AsymmetricKey(file: sample.folder.openssl(form.command)) == key)
            #expect(try AsymmetricKey(file: sample.folder.openssl(form.command + " -outform DER")) == key)
        }
    }

    @Test(arguments: [16, 70, 76, 10_000], ["\n", "\r\n", " \n", "\n  "])
    func `PEM lines may have any length`(width: Int, end: String) throws {
        let folder = try OpenSSLFolder()
        let whole = try folder.openssl("genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -outform DER")
        var digits = Substring(whole.base64EncodedString())
        var text = "A key:\n-----BEGIN EC PRIVATE KEY-----\(end)"
        while !digits.isEmpty {
            text += digits.prefix(width) + end
            digits = digits.dropFirst(width)
        }
        let key = try AsymmetricKey(der: whole)
        #expect(try AsymmetricKey(pem: text + "-----END EC PRIVATE KEY-----") == key)
        #expect(
            try PEMBlock.all(
                in: text + "-----END EC PRIVATE KEY-----\n" + text + "-----END EC PRIVATE KEY-----"
            )
            .count == 2
        )
    }

    @Test(
        arguments: [
            "-----BEGIN A-----\nAAAA\n", "-----BEGIN A-----\n-----END A-----\n",
            "-----BEGIN A-----\nAAAA\n-----END B-----\n", "-----BEGIN A-----\nAA*A\n-----END A-----\n",
            "-----BEGIN A-----\nAA AA\n-----END A-----\n", "-----BEGIN A-----\nAAA\n-----END A-----\n",
            "-----BEGIN A-----\nAA==\nAAAA\n-----END A-----\n", "-----BEGIN A-----\nAAAA\n-----END A----\n",
            "-----BEGIN A-----\nAAAA\n-----BEGIN A-----\nAAAA\n-----END A-----\n",
        ]
    )
    func `a truncated or invalid PEM block is rejected`(text: String) {
        #expect(throws: AsymmetricKeyError.malformedKey) { try PEMBlock.all(in: text) }
    }

    @Test(arguments: [
        "", "\n", "AAAA", "-----END A-----", "-----BEGIN A", "-----BEGIN -----x", "-----BEGIN ----",
    ])
    func `text without a PEM block has no blocks`(text: String) throws {
        #expect(try PEMBlock.all(in: text).isEmpty)
    }

    @Test(arguments: Curve.allCases)
    func `a key file with leading curve parameters is parsed`(curve: Curve) throws {
        let folder = try OpenSSLFolder()
        let name = ["prime256v1", "secp384r1", "secp521r1"][Curve.allCases.firstIndex(of: curve) ?? 0]
        let file = try folder.openssl("ecparam -name \(name) -genkey")
        #expect(String(decoding: file, as: UTF8.self).hasPrefix("-----BEGIN EC PARAMETERS"))
        #expect(try AsymmetricKey(file: file).curve == curve)
    }

    @Test func `a compressed point is parsed`() throws {
        for sample in try SampleKey.all() where sample.privateKey.curve != nil {
            let pair = try sample.folder.openssl("ec -in key.pem -conv_form compressed -outform DER")
            let whole = try sample.folder.openssl("ec -in key.pem -outform DER")
            #expect(pair.count < whole.count)
            #expect(try AsymmetricKey(file: pair) == sample.privateKey)
            let point = try sample.folder.openssl("ec -in key.pem -pubout -conv_form compressed")
            #expect(try AsymmetricKey(file: point) == sample.publicKey)
            // A point with the same x and the other sign of y does not match the private scalar.
            let sign = pair.count - sample.privateKey.curve!.coordinateByteCount - 1
            #expect([2, 3].contains(pair[sign]))
            #expect(throws: AsymmetricKeyError.malformedKey) {
                try AsymmetricKey(der: pair.flipped(at: sign))
            }
        }
    }

    @Test(arguments: [
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_primes:3",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit",
        "ecparam -name prime256v1 -genkey -noout -param_enc explicit",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1", "genpkey -algorithm ED448",
    ])
    func `an unsupported key type is reported as unsupported`(command: String) throws {
        let file = try OpenSSLFolder().openssl(command)
        #expect(throws: AsymmetricKeyError.unsupportedKey) { try AsymmetricKey(file: file) }
    }

    @Test func `a private key without its public key is parsed`() throws {
        for sample in try SampleKey.all() where sample.privateKey.curve != nil {
            let file = try sample.folder.openssl("ec -in key.pem -no_public -outform DER")
            #expect(try AsymmetricKey(file: file) == sample.privateKey)
        }
    }

    @Test(arguments: ["-aes256", "-aes256 -traditional"])
    func `an encrypted key file is reported as encrypted`(options: String) throws {
        for sample in try SampleKey.all() {
            let file = try sample.folder.openssl("pkey -in key.pem \(options) -passout pass:word")
            #expect(throws: AsymmetricKeyError.encryptedKey) { try AsymmetricKey(file: file) }
        }
        let sample = try SampleKey.rsa()
        let file = try sample.folder.openssl(
            "pkcs8 -topk8 -in key.pem -outform DER -passout pass:word"
        )
        #expect(throws: AsymmetricKeyError.encryptedKey) { try AsymmetricKey(file: file) }
    }

    @Test(arguments: [
        "-algorithm ed448", "-algorithm X448", "-algorithm EC -pkeyopt ec_paramgen_curve:secp256k1",
    ])
    func `an unsupported key type is distinguished from a damaged key`(options: String) throws {
        let folder = try OpenSSLFolder()
        try folder.openssl("genpkey \(options) -out key.pem")
        for command in ["pkey -in key.pem", "pkey -in key.pem -pubout"] {
            for form in ["", " -outform DER"] {
                let file = try folder.openssl(command + form)
                #expect(throws: AsymmetricKeyError.unsupportedKey) { try AsymmetricKey(file: file) }
            }
        }
    }

    @Test func `exporting a key in an incompatible format fails`() throws {
        for sample in try SampleKey.all() {
            for (key, half) in [(sample.privateKey, KeyHalf.private), (sample.publicKey, .public)] {
                let fitting = Set(
                    Self.forms.filter { $0.half == half && $0.isRSA == (key.type == .rsa) }.map(\.format)
                )
                for format in KeyFormat.allCases where !fitting.contains(format) {
                    if format == .openSSH { continue }
                    #expect(throws: AsymmetricKeyError.unsupportedKey) { try key.exported(as: format) }
                    #expect(throws: AsymmetricKeyError.unsupportedKey) { try key.exportedBlock(as: format) }
                }
            }
        }
    }

    // MARK: OpenSSH

    private static let openSSH = """
        import sys
        from cryptography.hazmat.primitives import serialization as s
        key = s.load_pem_public_key(open('public.pem', 'rb').read())
        line = key.public_bytes(s.Encoding.OpenSSH, s.PublicFormat.OpenSSH)
        if len(sys.argv) > 1:
            other = s.load_ssh_public_key(open(sys.argv[1], 'rb').read())
            assert other.public_numbers() == key.public_numbers()
        sys.stdout.buffer.write(line)
        """

    @Test func `OpenSSH lines are written and parsed like Python's cryptography`() throws {
        for sample in try SampleKey.all() {
            let theirs = try sample.folder.run(["python3", "-c", Self.openSSH])
            let ours = try sample.publicKey.exported(as: .openSSH)
            #expect(ours == theirs)
            let name = "line-\(UUID())"
            try sample.folder.write(ours, to: name)
            try sample.folder.run(["python3", "-c", Self.openSSH, name])
            for end in ["", "\n", " someone@somewhere\n", "\tsomeone with blanks\r\n"] {
                #expect(try AsymmetricKey(file: theirs + Data(end.utf8)) == sample.publicKey)
            }
        }
    }
}
