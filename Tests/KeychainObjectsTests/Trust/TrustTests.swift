// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainTestSupport
import Testing

#if Trust
/// A root, an authority under it, and certificates of all kinds that the authority signed, made by folder.
final class Authority: Sendable {
    static let shared = Result { try Authority() }

    let root: Data
    let intermediate: Data
    /// The certificates by name.
    let leaves: [String: Data]

    private static let extensions: [String: String] = [
        "server":
            "subjectAltName=DNS:host.example,DNS:*.wild.example,IP:127.0.0.1\nextendedKeyUsage=serverAuth",
        "client": "extendedKeyUsage=clientAuth",
        "named": "subjectAltName=DNS:client.example\nextendedKeyUsage=clientAuth",
        "critical": "subjectAltName=critical,DNS:host.example\nextendedKeyUsage=critical,serverAuth",
        "plain": "keyUsage=digitalSignature",
        "unknown": "1.2.3.4=critical,DER:0500",
        "authority": "basicConstraints=critical,CA:TRUE",
    ]

    private init() throws {
        let folder = try OpenSSLFolder()
        try folder.openssl(
            "req -x509 -nodes -newkey rsa:2048 -keyout root.key -out root.pem -days 7300 -subj /CN=Root"
        )
        try Self.sign("middle", by: "root", "basicConstraints=critical,CA:TRUE", folder)
        root = try folder.certificate("root.pem")
        intermediate = try folder.certificate("middle.pem")
        var leaves: [String: Data] = [:]
        for (name, lines) in Self.extensions {
            try Self.sign(name, by: "middle", lines, folder)
            leaves[name] = try folder.certificate("\(name).pem")
        }
        // A certificate that is no authority's signs one all the same.
        try Self.sign("forged", by: "plain", "subjectAltName=DNS:host.example", folder)
        leaves["forged"] = try folder.certificate("forged.pem")
        self.leaves = leaves
    }

    private static func sign(
        _ name: String,
        by issuer: String,
        _ extensions: String,
        _ folder: OpenSSLFolder
    ) throws {
        try folder.write(Data("\(extensions)\n".utf8), to: "\(name).ext")
        try folder.openssl(
            "req -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout \(name).key -out \(name).csr"
                + " -subj /CN=\(name == "plain" ? "host.example" : name)"
        )
        try folder.openssl(
            "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key -CAcreateserial -out \(name).pem"
                + " -days 3650 -extfile \(name).ext"
        )
    }

    func question(_ leaf: String, _ policy: CertificatePolicy) throws -> TrustQuestion {
        TrustQuestion(
            leaf: try #require(leaves[leaf]),
            intermediates: [intermediate],
            anchors: .only([root]),
            policy: policy,
            seconds: Date.now.timeIntervalSinceReferenceDate + 3600
        )
    }
}

@Suite struct TrustTests {
    private let authority: Authority

    init() throws { authority = try Authority.shared.get() }

    @Test(
        arguments: [
            ("server", .basic, nil), ("client", .basic, nil), ("critical", .basic, nil),
            ("plain", .basic, nil),
            ("authority", .basic, nil), ("unknown", .basic, .noWay), ("forged", .basic, .noWay),
            ("server", .server(hostname: "host.example"), nil),
            ("server", .server(hostname: "HOST.Example."), nil),
            ("server", .server(hostname: nil), nil), ("critical", .server(hostname: "host.example"), nil),
            ("server", .server(hostname: "a.wild.example"), nil),
            ("server", .server(hostname: "a.b.wild.example"), .otherName),
            ("server", .server(hostname: "other.example"), .otherName),
            ("server", .server(hostname: ""), .otherName),
            // Names that end after the dot of their first label, and others with empty labels.
            ("server", .server(hostname: "localhost"), .otherName),
            ("server", .server(hostname: "localhost."), .otherName),
            ("server", .server(hostname: "intranet."), .otherName),
            ("server", .server(hostname: "a.wild.example."), nil),
            ("server", .server(hostname: "a.."), .otherName), ("server", .server(hostname: "."), .otherName),
            ("server", .server(hostname: ".."), .otherName),
            ("server", .server(hostname: "host.example.."), .otherName),
            ("server", .server(hostname: ".wild.example"), .otherName),
            ("server", .server(hostname: "a..wild.example"), .otherName),
            ("server", .server(hostname: "127.0.0.1."), nil),
            ("server", .server(hostname: "127.0.0.1"), nil),
            ("server", .server(hostname: "127.0.0.2"), .otherName),
            ("server", .server(hostname: "::1"), .otherName),
            // The common name says host.example, which counts for nothing.
            ("plain", .server(hostname: "host.example"), .otherName), ("plain", .server(hostname: nil), nil),
            ("client", .server(hostname: nil), .otherPurpose), ("client", .client(hostname: nil), nil),
            ("server", .client(hostname: nil), .otherPurpose), ("plain", .client(hostname: nil), nil),
            ("named", .client(hostname: "client.example"), nil),
            ("named", .client(hostname: "other.example"), .otherName),
            ("named", .server(hostname: "client.example"), .otherPurpose),
            ("client", .client(hostname: "client.example"), .otherName),
            ("server", .revocation(flags: 3), nil), ("forged", .revocation(flags: 3), .noWay),
            ("server", .revocation(flags: 8), .unknownRevocation), ("forged", .revocation(flags: 8), .noWay),
        ] as [(String, CertificatePolicy, TrustRefusal?)]
    )
    func `a certificate is good for its purpose`(
        leaf: String,
        policy: CertificatePolicy,
        refusal: TrustRefusal?
    ) throws {
        let verdict = try CertificateTrust.evaluate(authority.question(leaf, policy))
        switch refusal {
        case let refusal?: #expect(verdict == .refused(refusal))
        case nil:
            let leaf = try #require(authority.leaves[leaf])
            #expect(verdict == .trusted(chain: [leaf, authority.intermediate, authority.root]))
        }
    }

    @Test(arguments: [(-20.0, .notYetValid), (20.0, .expired)] as [(Double, TrustRefusal)])
    func `it is trusted as long as it is valid`(years: Double, refusal: TrustRefusal) throws {
        var question = try authority.question("server", .server(hostname: "host.example"))
        question.seconds += years * 366 * 86_400
        #expect(try CertificateTrust.evaluate(question) == .refused(refusal))
    }

    @Test(
        arguments: [
            (-1e300, .notYetValid), (-.infinity, .notYetValid), (.nan, .notYetValid),
            (-63_200_000_000, .notYetValid),
            (253_000_000_000, .expired), (1e300, .expired), (.infinity, .expired),
        ] as [(Double, TrustRefusal)]
    )
    func `a moment that no certificate can say is no crash`(seconds: Double, refusal: TrustRefusal) throws {
        var question = try authority.question("server", .basic)
        question.seconds = seconds
        #expect(try CertificateTrust.evaluate(question) == .refused(refusal))
    }

    /// What is asked, and all that is against it.
    struct RefusalRow: Sendable {
        let leaf: String
        let policy: CertificatePolicy
        var years = 0.0
        var anchors = true
        let refusals: Set<TrustRefusal>
    }

    // swift-format-ignore
    @Test(arguments: [
        RefusalRow(leaf: "server",   policy: .server(hostname: "host.example"), refusals: []),
        RefusalRow(leaf: "critical", policy: .server(hostname: "host.example"), refusals: []),
        RefusalRow(leaf: "server",   policy: .server(hostname: "other.example"), refusals: [.otherName]),
        RefusalRow(leaf: "critical", policy: .server(hostname: "other.example"), anchors: false, refusals: [.noWay, .otherName]),
        RefusalRow(leaf: "client",   policy: .server(hostname: nil), refusals: [.otherPurpose]),
        RefusalRow(leaf: "client",   policy: .server(hostname: "host.example"), years: 20, refusals: [.otherPurpose, .otherName, .expired]),
        RefusalRow(leaf: "server",   policy: .basic, years: -20, refusals: [.notYetValid]),
        RefusalRow(leaf: "server",   policy: .basic, years: 20, anchors: false, refusals: [.noWay, .expired]),
        RefusalRow(leaf: "unknown",  policy: .basic, refusals: [.noWay]),
        RefusalRow(leaf: "forged",   policy: .server(hostname: "host.example"), refusals: [.noWay]),
        RefusalRow(leaf: "server",   policy: .revocation(flags: 8), refusals: [.unknownRevocation]),
        RefusalRow(leaf: "server",   policy: .revocation(flags: 8), anchors: false, refusals: [.unknownRevocation, .noWay]),
        RefusalRow(leaf: "server",   policy: .revocation(flags: 3), refusals: []),
    ])
    func `everything that is against a certificate`(row: RefusalRow) throws {
        var question = try authority.question(row.leaf, row.policy)
        question.seconds += row.years * 366 * 86_400
        if !row.anchors { question.anchors = .only([]) }
        #expect(try CertificateTrust.refusals(question) == row.refusals)
        // The first reason is one of all, and without any there is none.
        switch try CertificateTrust.evaluate(question) {
        case .trusted: #expect(row.refusals.isEmpty)
        case .refused(let refusal): #expect(row.refusals.contains(refusal))
        }
    }

    /// The library takes the first way that it finds, whoever is no longer valid on it.
    @Test func `a valid way counts although another has an authority that is no longer valid`() throws {
        let folder = try OpenSSLFolder()
        let subject = "-subj /CN=root -addext basicConstraints=critical,CA:TRUE"
        try folder.openssl(
            "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout root.key -out long.pem -days 7300"
                + " \(subject)"
        )
        let short = try folder.openssl("req -x509 -key root.key -outform DER -days 30 \(subject)")
        try folder.openssl(
            "req -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout leaf.key -out leaf.csr -subj /CN=leaf"
        )
        try folder.openssl(
            "x509 -req -in leaf.csr -CA long.pem -CAkey root.key -CAcreateserial -out leaf.pem -days 7300"
        )
        let long = try folder.certificate("long.pem")
        for anchors in [[short, long], [long, short]] {
            var question = try authority.question("server", .server(hostname: "other.example"))
            question.leaf = try folder.certificate("leaf.pem")
            question.intermediates = []
            question.anchors = .only(anchors)
            question.seconds += 366 * 86_400
            #expect(try CertificateTrust.refusals(question) == [.otherName])
            question.policy = .basic
            #expect(try CertificateTrust.refusals(question) == [])
        }
    }

    @Test func `without the certificate between there is no way`() throws {
        var question = try authority.question("server", .basic)
        question.intermediates = [Data("no certificate".utf8), Data()]
        #expect(try CertificateTrust.evaluate(question) == .refused(.noWay))
    }

    @Test func `what is no certificate does not hide the others`() throws {
        var question = try authority.question("server", .basic)
        question.intermediates.insert(Data("no certificate".utf8), at: 0)
        #expect(try CertificateTrust.isTrusted(question))
    }

    @Test func `only anchors are trusted`() throws {
        var question = try authority.question("server", .basic)
        question.intermediates.append(authority.root)
        question.anchors = .only([])
        #expect(try CertificateTrust.evaluate(question) == .refused(.noWay))
        question.anchors = .system
        #expect(try CertificateTrust.evaluate(question) == .refused(.noWay))
        question.anchors = .systemAnd([authority.root])
        #expect(try CertificateTrust.isTrusted(question))
        // An anchor is trusted itself if it is marked as an authority, and only then.
        question.anchors = .only([question.leaf])
        #expect(try CertificateTrust.evaluate(question) == .refused(.noWay))
        question.leaf = authority.root
        question.anchors = .only([authority.root])
        #expect(try CertificateTrust.evaluate(question) == .trusted(chain: [authority.root]))
    }

    @Test func `a root of the system is trusted`() throws {
        let bundle = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        let encoded = bundle.split(separator: "-----").map { $0.filter { !$0.isNewline } }
        let roots = encoded.compactMap { Data(base64Encoded: $0) }.filter { $0.count > 100 }
        try #require(roots.count > 10)
        let trusted = try roots.filter { root in
            try CertificateTrust.isTrusted(
                leaf: root,
                intermediates: [],
                policy: .basic,
                at: Date.now.timeIntervalSinceReferenceDate
            )
        }
        // Some may have expired since the package was made.
        #expect(trusted.count > roots.count / 2)
    }

    @Test(arguments: [Data(), Data("no certificate".utf8), Data(count: 300_000)])
    func `bytes that are no certificate are an error`(bytes: Data) throws {
        var question = try authority.question("server", .basic)
        question.leaf = bytes
        #expect(throws: StatusError(.undecodable, .malformedCertificate)) {
            try CertificateTrust.evaluate(question)
        }
    }

    /// Certificates of one name and one key, each of which signed all others: n of them have n! ways.
    @Test func `a maze is given up`() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("maze")
        let maze = try (0..<24).map { number in
            try folder.openssl(
                "req -x509 -key maze.key -outform DER -days 3650 -subj /CN=maze -addext"
                    + " subjectAltName=DNS:\(number).example"
            )
        }
        var question = try authority.question("server", .basic)
        question.leaf = maze[0]
        question.intermediates = Array(maze.dropFirst())
        #expect(try CertificateTrust.evaluate(question) == .refused(.noWay))
    }

    @Test func `every thread of the pool can ask at the same time`() async throws {
        let question = try authority.question("server", .server(hostname: "host.example"))
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        let trusted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count { group.addTask { try CertificateTrust.isTrusted(question) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(trusted == count)
    }
}

extension CertificateTrust {
    static func isTrusted(_ question: TrustQuestion) throws -> Bool {
        if case .trusted = try evaluate(question) { true } else { false }
    }
}
#else
@Suite struct TrustTests {
    @Test func `without the trait nobody is asked`() {
        #expect(throws: StatusError(.unimplemented, .trustTraitDisabled)) {
            try CertificateTrust.isTrusted(leaf: Data(), intermediates: [], policy: .basic, at: 0)
        }
    }
}
#endif
