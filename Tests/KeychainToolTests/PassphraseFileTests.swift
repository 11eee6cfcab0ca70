// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Files encrypted with a passphrase, which only builds with the package trait `PKCS12` read and write.
@Suite struct PassphraseFileTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try sh(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=Root -keyout root.key -out root.pem 2>&1
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Alice -keyout key.pem \
            -out certificate.pem 2>&1
            openssl pkey -in key.pem -pubout -out public.pem
            """
        )
    }

    @discardableResult
    private func sh(_ line: String) throws -> String {
        let result = try home.shell("cd && \(line)")
        try #require(result.code == 0, "\(line): \(result.complaintsText)")
        return result.outputText
    }

    private static let archives = [
        "", "-legacy", "-nomac", "-certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1",
    ]
    private static let wrappings = ["-v2 aes-256-cbc", "-v1 PBE-SHA1-3DES", "-v2 des3 -outform DER"]

    #if PKCS12
    @Test(arguments: archives)
    func `an archive from openssl is an identity and a chain`(options: String) throws {
        try sh(
            "openssl pkcs12 -export -inkey key.pem -in certificate.pem -certfile root.pem -passout pass:secret \(options) -out file"
        )
        let wrong = try home.shell("cd && security import file -P wrong")
        #expect(
            wrong.complaintsText
                == "security: SecKeychainItemImport (file): MAC verification failed during PKCS12 import (wrong password?)\n"
        )
        #expect(wrong.code == 80)
        let missing = try home.shell("cd && security import file")
        #expect(
            missing.complaintsText
                == "security: SecKeychainItemImport (file): Passphrase is required for import/export.\n"
        )
        #expect(missing.code == 84)
        #expect(try home.security("dump-keychain").output.isEmpty)
        #expect(
            try sh("security import file -f pkcs12 -P secret")
                == "1 identity imported.\n1 certificate imported.\n"
        )
        #expect(try sh("security find-identity").contains("\"Alice\""))
        #expect(try sh("security find-key -l Alice").contains("0x00000001 <blob>=\"Alice\""))
        #expect(try home.shell("cd && echo secret | security import file -P").code == 45)
    }

    @Test(arguments: ["security import file -P", "security export -t identities -f pkcs12 -o out -P"])
    func `an empty passphrase is accepted only as an argument`(line: String) throws {
        try sh("openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass: -out file")
        if !line.contains("import") { try sh("security import file -P ''") }
        let verb = line.dropFirst("security ".count)
        for input in ["printf '\(verb)\\n\\n' | security -i", "printf '\\n' | \(line)", "\(line) </dev/null"]
        {
            let result = try home.shell("cd && \(input)")
            #expect(result.code == 1, "\(input)")
            #expect(
                result.complaintsText.hasPrefix(
                    "security: no passphrase on standard input; pass an empty passphrase as the argument ''\n"
                ),
                "\(input)"
            )
        }
        #expect(try home.shell("cd && test -e out").code == 1)
        try sh(
            "security delete-keychain --erase-all-items; security import file -P '' && security export -t identities -f pkcs12 -o out -P ''"
        )
        try sh("openssl pkcs12 -in out -passin pass: -nodes -noout")
    }

    @Test func `openssl reads an exported archive`() throws {
        try sh("cat key.pem certificate.pem | security import -")
        try sh("echo secret | security export -t identities -f pkcs12 -o out -P")
        #expect(try sh("stat -c %a out") == "600\n")
        #expect(
            try sh("openssl pkcs12 -in out -passin pass:secret -nodes -nocerts | openssl pkey -pubout")
                == sh("cat public.pem")
        )
        #expect(
            try sh("openssl pkcs12 -in out -passin pass:secret -nokeys | openssl x509 -noout -pubkey")
                == sh("cat public.pem")
        )
        #expect(try home.shell("cd && openssl pkcs12 -in out -passin pass:wrong").code != 0)
    }

    @Test
    func `an export omits what could not be imported, and characters a label cannot contain`()
        throws
    {
        try sh("security import key.pem && security export -t privKeys -f openssl -p > alone.pem")
        try sh("openssl req -utf8 -x509 -new -key key.pem -subj '/CN=smile 😀' -days 2 -out smile.pem")
        try sh("security import smile.pem && security create-keypair -a ec other")
        // In a PKCS #12 file, a public key is a part of its private key; the export of a public key alone fails
        // below.
        try sh(
            "security export -f pkcs12 -o out -P secret && openssl pkcs12 -in out -passin pass:secret -nodes -noout"
        )
        try sh("security delete-keychain --erase-all-items && security import out -P secret")
        #expect(try sh("security find-identity").contains("1 identities found"))
        try sh("security import public.pem")
        try sh(
            "openssl genrsa -out third.pem 2048 2>/dev/null && openssl pkey -in third.pem -pubout -out third.pub"
        )
        try sh("security import third.pub")
        let result = try home.shell("cd && security export -f pkcs12 -o lost -P secret; echo $?; ls lost")
        #expect(result.outputText == "88\n")
    }

    @Test func `a certificate with a compressed point matches its key`() throws {
        try sh("openssl ecparam -name prime256v1 -genkey -noout -conv_form compressed -out point.key")
        try sh("openssl req -x509 -new -key point.key -subj /CN=point -days 2 -out point.pem")
        try sh("cat point.key point.pem | security import -")
        #expect(try sh("security find-identity").contains("\"point\""))
        try sh("security export -t identities -f pkcs12 -o out -P secret")
        try sh("security delete-keychain --erase-all-items")
        #expect(try sh("security import out -P secret") == "1 identity imported.\n")
    }

    @Test func `an archive transfers a whole keychain to another one`() throws {
        try sh("cat key.pem certificate.pem root.key root.pem | security import -")
        try sh("security export -f pkcs12 -o out -P secret")
        let everything = """
            security find-identity; security find-certificate -a -p; security export -t privKeys -f openssl | sort
            """
        let before = try sh(everything)
        #expect(before.contains("2 identities found"))
        try sh("security delete-keychain --erase-all-items && security import out -P secret")
        #expect(try sh(everything) == before)
    }

    @Test(arguments: wrappings)
    func `an encrypted key from openssl is imported`(options: String) throws {
        try sh("openssl pkcs8 -topk8 -in key.pem -passout pass:secret \(options) -out file")
        let wrong = try home.shell("cd && security import file -P wrong")
        #expect(wrong.code == 51 || wrong.code == 87)
        #expect(try home.security("dump-keychain").output.isEmpty)
        #expect(try sh("security import file -w -P secret") == "1 key imported.\n")
        #expect(try sh("security export -f openssl -p | openssl pkey -pubout") == sh("cat public.pem"))
    }

    @Test(arguments: ["-f pkcs8 -P secret", "-f pkcs8 -p -P secret", "-w -P secret", "-P secret"])
    func `openssl reads an exported encrypted key`(options: String) throws {
        try sh("security import key.pem && security export \(options) -o out")
        let form = options == "-f pkcs8 -P secret" ? "DER" : "PEM"
        #expect(
            try sh("openssl pkey -inform \(form) -in out -passin pass:secret -pubout") == sh("cat public.pem")
        )
        #expect(try home.shell("cd && openssl pkey -inform \(form) -in out -passin pass:wrong").code != 0)
    }

    @Test func `a passphrase is prompted for on the terminal`() throws {
        try sh("openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass:secret -out file")
        let terminal = try Terminal()
        let tool = try terminal.start(["import", "\(home.directory)/file"], in: home)
        try terminal.wait(for: "passphrase of the file: ")
        #expect(!terminal.echoes)
        terminal.type("secret\n")
        #expect(try tool.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.contains("1 identity imported."))
        #expect(!terminal.transcript.contains("secret"))
    }
    #else
    private static let refusal = "PKCS#12 and encrypted PKCS#8 need a build with the package trait PKCS12\n"

    @Test(arguments: ["", "-P secret"], archives)
    func `an archive is rejected and the missing trait named`(passphrase: String, options: String) throws {
        try sh(
            "openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass:secret \(options) -out file"
        )
        let result = try home.shell("cd && security import file \(passphrase)")
        #expect(result.complaintsText == "security: SecKeychainItemImport (file): \(Self.refusal)")
        #expect(result.code == 252)
        #expect(try home.security("dump-keychain").output.isEmpty)
    }

    @Test(arguments: wrappings)
    func `an encrypted key is rejected and the missing trait named`(options: String) throws {
        try sh("openssl pkcs8 -topk8 -in key.pem -passout pass:secret \(options) -out file")
        let result = try home.shell("cd && security import file -P secret")
        #expect(result.complaintsText == "security: SecKeychainItemImport (file): \(Self.refusal)")
        #expect(result.code == 252)
    }

    @Test(arguments: ["-f pkcs12", "-f pkcs8 -P secret", "-w", "-P secret"])
    func `an export that should be encrypted writes no unencrypted file`(options: String) throws {
        try sh("security import key.pem")
        let result = try home.shell("cd && security export \(options) -o out; rc=$?; ls out; exit $rc")
        #expect(result.complaintsText.hasPrefix("security: SecKeychainItemExport: \(Self.refusal)"))
        #expect(result.code == 252)
        #expect(result.output.isEmpty)
    }
    #endif
}
