// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import Foundation
import KeychainModel
import KeychainTestSupport
import KeychainObjects
import Testing

/// Reading files written by `openssl pkcs12 -export`.
@Suite struct ReadTests {
    /// Options for creating a file, and its expected contents.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let options: String
        var key = "ec -pkeyopt ec_paramgen_curve:P-256"
        var passphrase = "correct horse"
        var keys = 1
        var certificates = 1
        /// Whether the file has a MAC or encryption, so that a wrong passphrase can be detected.
        var isProtected = true
    }

    static let rows: [Row] = [
        Row(testDescription: "AES-256 and PBKDF2", options: ""),
        Row(testDescription: "RSA", options: "", key: "rsa:2048"),
        Row(testDescription: "P-384", options: "", key: "ec -pkeyopt ec_paramgen_curve:P-384"),
        Row(testDescription: "P-521", options: "", key: "ec -pkeyopt ec_paramgen_curve:P-521"),
        Row(testDescription: "RC2 and Triple DES", options: "-legacy"),
        Row(testDescription: "Triple DES", options: "-certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES"),
        Row(testDescription: "RC4", options: "-legacy -certpbe PBE-SHA1-RC4-128 -keypbe PBE-SHA1-RC4-128"),
        Row(testDescription: "SHA-1 for the authentication", options: "-macalg sha1"),
        Row(testDescription: "no authentication", options: "-nomac"),
        Row(testDescription: "no authentication, old", options: "-nomac -legacy"),
        Row(testDescription: "nothing encrypted", options: "-certpbe NONE -keypbe NONE"),
        Row(
            testDescription: "nothing encrypted or authenticated",
            options: "-nomac -certpbe NONE -keypbe NONE",
            isProtected: false
        ),
        Row(testDescription: "empty passphrase", options: "", passphrase: ""),
        Row(testDescription: "empty passphrase, old", options: "-legacy", passphrase: ""),
        Row(testDescription: "passphrase that is not ASCII", options: "", passphrase: "pä🔑ß"),
        Row(testDescription: "passphrase that is not ASCII, old", options: "-legacy", passphrase: "pä🔑ß"),
        Row(testDescription: "no key", options: "-nokeys", keys: 0),
        Row(testDescription: "no certificate", options: "-nocerts", certificates: 0),
        Row(testDescription: "several certificates", options: "-certfile others.pem", certificates: 3),
        Row(testDescription: "many rounds", options: "-iter 600000"),
    ]

    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    private func make(_ row: Row) throws -> Data {
        try folder.makeIdentity("alice", key: row.key)
        try folder.makeIdentity("bob")
        try folder.makeIdentity("carol")
        try folder.write(folder.read("bob.pem") + folder.read("carol.pem"), to: "others.pem")
        try folder.openssl(
            "pkcs12 -export -inkey alice.key -in alice.pem -out file.p12 -name mine \(row.options)",
            ["-passout", "pass:\(row.passphrase)"]
        )
        return try folder.read("file.p12")
    }

    @Test(arguments: rows)
    func `a file contains the keys and certificates it was created from`(row: Row) throws {
        let archive = try PKCS12Archive(make(row), passphrase: SharedBytes(row.passphrase.utf8))
        #expect(archive.keys.count == row.keys)
        #expect(archive.certificates.count == row.certificates)
        let names = ["alice.pem", "bob.pem", "carol.pem"].prefix(row.certificates)
        #expect(try Set(archive.certificates.map(\.der)) == Set(names.map { try folder.certificate($0) }))
        if let key = archive.keys.first {
            let expected = try folder.openssl("pkcs8 -topk8 -nocrypt -in alice.key -outform DER")
            #expect(key.pkcs8.data == expected)
            #expect(key.label == "mine")
            #expect(row.certificates == 0 || key.localKeyID != nil)
        }
        if row.keys == 1, row.certificates > 0 {
            let leaf = archive.certificates.first { $0.localKeyID == archive.keys.first?.localKeyID }
            #expect(try leaf?.der == folder.certificate("alice.pem"))
        }
    }

    @Test(arguments: rows.filter(\.isProtected))
    func `a wrong passphrase is rejected`(row: Row) throws {
        let file = try make(row)
        for wrong in ["wrong", row.passphrase + " ", String(row.passphrase.dropLast()) + "x"] {
            #expect(throws: StatusError(.authenticationFailed, .wrongPassphrase)) {
                try PKCS12Archive(file, passphrase: SharedBytes(wrong.utf8))
            }
        }
    }

    @Test func `a file with an unsupported key type can be read`() throws {
        let row = Row(testDescription: "", options: "", key: "ed25519")
        let archive = try PKCS12Archive(make(row), passphrase: SharedBytes(row.passphrase.utf8))
        #expect(archive.keys.count == 1)
    }

    @Test func `no passphrase and an empty one open the same file`() throws {
        try folder.makeIdentity("alice")
        let file = try PKCS12Archive(
            keys: [],
            certificates: [.init(der: folder.certificate("alice.pem"))]
        ).file(passphrase: SharedBytes([]))
        #expect(try PKCS12Archive(file, passphrase: SharedBytes([])).certificates.count == 1)
    }
}
#endif
