// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct WriteTests {
    #if PKCS12
    @Test(arguments: ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256"], ["secret", "", "pä🔑ß"])
    func `a written file is read by openssl and by this package`(key: String, passphrase: String) throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice", key: key)
        try folder.makeIdentity("root")
        let pkcs8 = try folder.openssl("pkcs8 -topk8 -nocrypt -in alice.key -outform DER")
        let certificates = try [folder.certificate("alice.pem"), folder.certificate("root.pem")]
        let archive = PKCS12Archive(
            keys: [.init(pkcs8: SharedBytes(pkcs8), label: "Alice's key")],
            certificates: certificates.map { .init(der: $0) }
        )
        let file = try archive.file(passphrase: SharedBytes(passphrase.utf8))
        try folder.write(file, to: "ours.p12")
        let text = try folder.openssl(
            "pkcs12 -in ours.p12 -nodes -out read.pem",
            ["-passin", "pass:\(passphrase)"]
        )
        #expect(text.isEmpty)
        #expect(try folder.openssl("pkcs8 -topk8 -nocrypt -in read.pem -outform DER") == pkcs8)
        #expect(try folder.certificate("read.pem") == certificates[0])

        let ours = try PKCS12Archive(file, passphrase: SharedBytes(passphrase.utf8))
        #expect(ours.keys.map(\.pkcs8.data) == [pkcs8])
        #expect(ours.keys.map(\.label) == ["Alice's key"])
        #expect(Set(ours.certificates.map(\.der)) == Set(certificates))
    }

    static let counts = [(0, 1), (1, 0), (2, 2), (3, 1), (1, 3), (40, 0)]

    /// Compares what this package reads back from a file, and counts what `openssl` reads.
    @Test(arguments: Sampling.some(3, of: counts, for: "numbers of keys and certificates"))
    func `openssl reads files with any number of keys and certificates`(keys: Int, certificates: Int) throws {
        let folder = try OpenSSLFolder()
        var archive = PKCS12Archive(keys: [], certificates: [])
        for number in 0..<max(keys, certificates) {
            try folder.makeIdentity("\(number)", key: "ec -pkeyopt ec_paramgen_curve:P-256")
            let identifier = Data("pair \(number)".utf8)
            if number < keys {
                let key = try folder.privateKey("\(number).key")
                archive.keys.append(
                    .init(pkcs8: SharedBytes(key), label: "key \(number)", localKeyID: identifier)
                )
            }
            if number < certificates {
                let der = try folder.certificate("\(number).pem")
                archive.certificates.append(.init(der: der, label: "no. \(number)", localKeyID: identifier))
            }
        }
        let file = try archive.file(passphrase: SharedBytes("secret".utf8))

        let ours = try PKCS12Archive(file, passphrase: SharedBytes("secret".utf8))
        #expect(ours.keys.map(\.pkcs8.data) == archive.keys.map(\.pkcs8.data))
        #expect(ours.keys.map(\.label) == archive.keys.map(\.label))
        #expect(ours.keys.map(\.localKeyID) == archive.keys.map(\.localKeyID))
        #expect(ours.certificates == archive.certificates)

        try folder.write(file, to: "ours.p12")
        let text = try folder.openssl("pkcs12 -in ours.p12 -nodes -passin pass:secret")
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0 == "-----BEGIN PRIVATE KEY-----" } == keys)
        #expect(lines.count { $0 == "-----BEGIN CERTIFICATE-----" } == certificates)
        #expect(lines.count { $0.hasPrefix("    friendlyName: key ") } == keys)
        #expect(throws: StatusError.self) {
            try PKCS12Archive(file, passphrase: SharedBytes("wrong".utf8))
        }
    }

    @Test func `writing more items than can be read fails`() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        let certificate = PKCS12Archive.Certificate(der: try folder.certificate("alice.pem"))
        let most = PKCS12Archive.maximumBags
        for (count, isWritten) in [(most, true), (most + 1, false)] {
            let archive = PKCS12Archive(keys: [], certificates: Array(repeating: certificate, count: count))
            let file = try? archive.file(passphrase: SharedBytes("secret".utf8))
            #expect((file != nil) == isWritten)
            guard let file else { continue }
            #expect(
                try PKCS12Archive(file, passphrase: SharedBytes("secret".utf8)).certificates.count == count
            )
        }
    }

    @Test func `writing more keys than can be read fails`() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        let key = try folder.openssl("pkcs8 -topk8 -nocrypt -in alice.key -outform DER")
        let keys = (0...PKCS12Archive.maximumKeys).map { _ in
            PKCS12Archive.PrivateKey(pkcs8: SharedBytes(key))
        }
        #expect(throws: StatusError(.invalidParameter, .malformedArchive)) {
            try PKCS12Archive(keys: keys, certificates: []).file(passphrase: SharedBytes("secret".utf8))
        }
    }

    @Test(arguments: ["se\0cret", "\0", "secret\0"])
    func `writing with a zero byte in the passphrase fails`(passphrase: String) throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        let archive = try PKCS12Archive(
            keys: [],
            certificates: [.init(der: folder.certificate("alice.pem"))]
        )
        #expect(throws: StatusError(.invalidParameter, .wrongValueType)) {
            try archive.file(passphrase: SharedBytes(passphrase.utf8))
        }
    }

    @Test func `writing an empty file fails`() {
        #expect(throws: StatusError(.invalidParameter, .malformedArchive)) {
            try PKCS12Archive(keys: [], certificates: []).file(passphrase: SharedBytes("secret".utf8))
        }
    }
    #else
    @Test func `reading and writing fail without the trait PKCS12`() {
        #expect(throws: StatusError(.unimplemented, .pkcs12TraitDisabled)) {
            try PKCS12Archive(Data([0x30, 0]), passphrase: SharedBytes("secret".utf8))
        }
        #expect(throws: StatusError(.unimplemented, .pkcs12TraitDisabled)) {
            try PKCS12Archive(keys: [], certificates: []).file(passphrase: SharedBytes("secret".utf8))
        }
    }
    #endif
}
