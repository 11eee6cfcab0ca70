// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Importing invalid files: nothing is stored, and an error message names the file and the reason.
@Suite struct BadFileTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The shell command that writes `file`; `key.pem` and `certificate.pem` exist.
        let maker: String
        var arguments = "import file"
        let code: Int32
        let complaint: String
    }

    private static let unknown = "SecKeychainItemImport (file): Unknown format in import."
    private static let unsupported = "SecKeychainItemImport (file): Import/Export format unsupported."

    static let rows: [Row] = [
        Row(testDescription: "empty", maker: ": > file", code: 1, complaint: "file: the file is empty"),
        Row(testDescription: "missing", maker: ":", code: 1, complaint: "file: No such file or directory"),
        Row(testDescription: "directory", maker: "mkdir file", code: 1, complaint: "file: Is a directory"),
        Row(
            testDescription: "huge",
            maker: "truncate -s 17M file",
            code: 1,
            complaint: "file: File too large"
        ),
        Row(testDescription: "zeros", maker: "truncate -s 1M file", code: 87, complaint: unknown),
        Row(testDescription: "text", maker: "echo nonsense > file", code: 87, complaint: unknown),
        Row(testDescription: "truncated PEM", maker: "head -3 key.pem > file", code: 87, complaint: unknown),
        Row(
            testDescription: "truncated DER",
            maker: "openssl pkey -in key.pem -outform DER | head -c 60 > file",
            code: 87,
            complaint: unknown
        ),
        Row(
            testDescription: "trailing data after the DER",
            maker: "(openssl x509 -in certificate.pem -outform DER; echo) > file",
            code: 87,
            complaint: unknown
        ),
        Row(
            testDescription: "a valid object and a truncated one",
            maker: "(cat certificate.pem; head -3 key.pem) > file",
            code: 87,
            complaint: unknown
        ),
        Row(
            testDescription: "a valid object and an unsupported one",
            maker: "(cat certificate.pem; openssl genpkey -algorithm ed448) > file",
            code: 88,
            complaint: unsupported
        ),
        Row(
            testDescription: "only curve parameters",
            maker: "openssl ecparam -name prime256v1 -out file",
            code: 87,
            complaint: unknown
        ),
        Row(
            testDescription: "unsupported curve",
            maker: "openssl ecparam -name secp256k1 -genkey -noout -out file",
            code: 88,
            complaint: unsupported
        ),
        Row(
            testDescription: "PKCS#7",
            maker: "openssl crl2pkcs7 -nocrl -certfile certificate.pem -out file",
            code: 88,
            complaint: unsupported
        ),
        Row(
            testDescription: "PKCS#7 in DER",
            maker: "openssl crl2pkcs7 -nocrl -certfile certificate.pem -outform DER -out file",
            code: 88,
            complaint: unsupported
        ),
        Row(
            testDescription: "encrypted with a PEM header",
            maker: "openssl ec -in key.pem -aes128 -passout pass:secret -out file 2>&1",
            arguments: "import file -P secret",
            code: 88,
            complaint: unsupported
        ),
        Row(
            testDescription: "not of the stated type",
            maker: "cp key.pem file",
            arguments: "import file -t cert",
            code: 87,
            complaint: unknown
        ),
        Row(
            testDescription: "not of the stated format",
            maker: "cp certificate.pem file",
            arguments: "import file -f openssh2",
            code: 87,
            complaint: unknown
        ),
        Row(
            testDescription: "an unsupported format",
            maker: "cp key.pem file",
            arguments: "import file -f netscape",
            code: 88,
            complaint: unsupported
        ),
        Row(
            testDescription: "a key among certificates",
            maker: "cp key.pem file",
            arguments: "add-certificates file",
            code: 87,
            complaint: "SecCertificateAddToKeychain (file): Unknown format in import."
        ),
    ]

    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        let making = try home.shell(
            """
            cd && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Good \
            -keyout key.pem -out certificate.pem
            """
        )
        try #require(making.code == 0, "\(making.complaintsText)")
    }

    @Test(arguments: rows)
    func `nothing is imported and the reason is printed`(row: Row) throws {
        #expect(try home.shell("cd && \(row.maker)").code == 0)
        let result = try home.shell("cd && security \(row.arguments)")
        // An earlier line may name unsupported contents of the file.
        #expect(result.complaintsText.hasSuffix("security: \(row.complaint)\n"))
        #expect(result.code == row.code)
        #expect(result.output.isEmpty)
        #expect(try home.security("dump-keychain").output.isEmpty)
    }

    @Test func `truncated files are rejected`() throws {
        let lines = """
            cd && openssl pkey -in key.pem -outform DER -out whole && n=$(stat -c %s whole) && i=1
            while [ $i -lt $n ]; do head -c $i whole > cut; security import cut && echo $i; i=$((i + 9)); done 2>/dev/null
            security import whole
            """
        #expect(try home.shell(lines).outputText == "1 key imported.\n")
    }

    @Test func `an existing item does not prevent importing the others`() throws {
        let first = try home.shell("cd && security import certificate.pem")
        #expect(first.outputText == "1 certificate imported.\n")
        let second = try home.shell(
            "cd && cat certificate.pem key.pem > both.pem && security import both.pem"
        )
        #expect(second.outputText == "1 key imported.\n")
        #expect(second.code == 45)
        #expect(
            second.complaintsText
                == "security: SecKeychainItemImport (both.pem): The specified item already exists in the keychain.\n"
        )
    }

    @Test func `an item that the keychain rejects leaves nothing behind`() throws {
        // `akpu` is the protection class that requires a passcode, and none is set.
        let result = try home.shell(
            "cd && cat certificate.pem key.pem > both.pem && security import both.pem --accessible akpu"
        )
        #expect(result.code == 51)
        #expect(result.output.isEmpty)
        #expect(try home.security("dump-keychain").output.isEmpty)
    }

    @Test func `an export replaces only a regular file`() throws {
        let name = String(repeating: "n", count: 255)
        let result = try home.shell(
            """
            cd && mkdir d && cd d && security import ../key.pem && echo before > \(name) &&
            security export -o \(name) && head -1 \(name) && ls -A; security export -o .; echo $?; ls -A
            """
        )
        #expect(
            result.outputText == """
                1 key imported.
                -----BEGIN EC PRIVATE KEY-----
                \(name)
                1
                \(name)

                """
        )
        #expect(result.complaintsText == "security: .: Is a directory\n")
    }

    @Test func `an export replaces the target of a symbolic link and keeps the link`() throws {
        let result = try home.shell(
            """
            cd && security import key.pem && echo before > target && ln -s target link &&
            security export -o link && stat -c '%F %N' link && head -1 target
            """
        )
        #expect(
            result.outputText
                == "1 key imported.\nsymbolic link 'link' -> 'target'\n-----BEGIN EC PRIVATE KEY-----\n"
        )
    }
}
