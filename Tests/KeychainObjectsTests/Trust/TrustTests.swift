// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainTestSupport
import Testing

#if Trust
/// A root, an intermediate CA, and leaf certificates with different purposes and names.
final class Authority: Sendable {
    static let shared = Result { try Authority() }

    let root: Data
    let intermediate: Data
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
        // The certificate `forged` is issued by `plain`, which is not a CA.
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

    func request(_ leaf: String, _ policy: CertificatePolicy) throws -> TrustRequest {
        TrustRequest(
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
            ("authority", .basic, nil), ("unknown", .basic, .noTrustedChain),
            ("forged", .basic, .noTrustedChain),
            ("server", .server(hostname: "host.example"), nil),
            ("server", .server(hostname: "HOST.Example."), nil),
            ("server", .server(hostname: nil), nil), ("critical", .server(hostname: "host.example"), nil),
            ("server", .server(hostname: "a.wild.example"), nil),
            ("server", .server(hostname: "a.b.wild.example"), .nameMismatch),
            ("server", .server(hostname: "other.example"), .nameMismatch),
            ("server", .server(hostname: ""), .nameMismatch),
            // Host names with one label, with a trailing dot or with empty labels; and IP addresses.
            ("server", .server(hostname: "localhost"), .nameMismatch),
            ("server", .server(hostname: "localhost."), .nameMismatch),
            ("server", .server(hostname: "intranet."), .nameMismatch),
            ("server", .server(hostname: "a.wild.example."), nil),
            ("server", .server(hostname: "a.."), .nameMismatch),
            ("server", .server(hostname: "."), .nameMismatch),
            ("server", .server(hostname: ".."), .nameMismatch),
            ("server", .server(hostname: "host.example.."), .nameMismatch),
            ("server", .server(hostname: ".wild.example"), .nameMismatch),
            ("server", .server(hostname: "a..wild.example"), .nameMismatch),
            ("server", .server(hostname: "127.0.0.1."), nil),
            ("server", .server(hostname: "127.0.0.1"), nil),
            ("server", .server(hostname: "127.0.0.2"), .nameMismatch),
            ("server", .server(hostname: "::1"), .nameMismatch),
            // The certificate's common name is host.example, but the common name is ignored.
            ("plain", .server(hostname: "host.example"), .nameMismatch),
            ("plain", .server(hostname: nil), nil),
            ("client", .server(hostname: nil), .purposeMismatch), ("client", .client(hostname: nil), nil),
            ("server", .client(hostname: nil), .purposeMismatch), ("plain", .client(hostname: nil), nil),
            ("named", .client(hostname: "client.example"), nil),
            ("named", .client(hostname: "other.example"), .nameMismatch),
            ("named", .server(hostname: "client.example"), .purposeMismatch),
            ("client", .client(hostname: "client.example"), .nameMismatch),
            ("server", .revocation(flags: 3), nil), ("forged", .revocation(flags: 3), .noTrustedChain),
            ("server", .revocation(flags: 8), .revocationUnknown),
            ("forged", .revocation(flags: 8), .noTrustedChain),
        ] as [(String, CertificatePolicy, TrustFailure?)]
    )
    func `a certificate satisfies only policies for its purpose`(
        leaf: String,
        policy: CertificatePolicy,
        failure: TrustFailure?
    ) throws {
        let result = try CertificateTrust.evaluate(authority.request(leaf, policy))
        switch failure {
        case let failure?: #expect(result == .untrusted(failure))
        case nil:
            let leaf = try #require(authority.leaves[leaf])
            #expect(result == .trusted(chain: [leaf, authority.intermediate, authority.root]))
        }
    }

    @Test(arguments: [(-20.0, .notYetValid), (20.0, .expired)] as [(Double, TrustFailure)])
    func `a certificate is trusted only within its validity period`(
        years: Double,
        failure: TrustFailure
    ) throws {
        var request = try authority.request("server", .server(hostname: "host.example"))
        request.seconds += years * 366 * 86_400
        #expect(try CertificateTrust.evaluate(request) == .untrusted(failure))
    }

    @Test(
        arguments: [
            (-1e300, .notYetValid), (-.infinity, .notYetValid), (.nan, .notYetValid),
            (-63_200_000_000, .notYetValid),
            (253_000_000_000, .expired), (1e300, .expired), (.infinity, .expired),
        ] as [(Double, TrustFailure)]
    )
    func `a verify date that X.509 cannot encode does not crash`(
        seconds: Double,
        failure: TrustFailure
    ) throws {
        var request = try authority.request("server", .basic)
        request.seconds = seconds
        #expect(try CertificateTrust.evaluate(request) == .untrusted(failure))
    }

    /// The inputs of an evaluation, and all failures it must report.
    struct FailureRow: Sendable {
        let leaf: String
        let policy: CertificatePolicy
        var years = 0.0
        var anchors = true
        let failures: Set<TrustFailure>
    }

    // swift-format-ignore
    @Test(arguments: [
        FailureRow(leaf: "server",   policy: .server(hostname: "host.example"), failures: []),
        FailureRow(leaf: "critical", policy: .server(hostname: "host.example"), failures: []),
        FailureRow(leaf: "server",   policy: .server(hostname: "other.example"), failures: [.nameMismatch]),
        FailureRow(leaf: "critical", policy: .server(hostname: "other.example"), anchors: false, failures: [.noTrustedChain, .nameMismatch]),
        FailureRow(leaf: "client",   policy: .server(hostname: nil), failures: [.purposeMismatch]),
        FailureRow(leaf: "client",   policy: .server(hostname: "host.example"), years: 20, failures: [.purposeMismatch, .nameMismatch, .expired]),
        FailureRow(leaf: "server",   policy: .basic, years: -20, failures: [.notYetValid]),
        FailureRow(leaf: "server",   policy: .basic, years: 20, anchors: false, failures: [.noTrustedChain, .expired]),
        FailureRow(leaf: "unknown",  policy: .basic, failures: [.noTrustedChain]),
        FailureRow(leaf: "forged",   policy: .server(hostname: "host.example"), failures: [.noTrustedChain]),
        FailureRow(leaf: "server",   policy: .revocation(flags: 8), failures: [.revocationUnknown]),
        FailureRow(leaf: "server",   policy: .revocation(flags: 8), anchors: false, failures: [.revocationUnknown, .noTrustedChain]),
        FailureRow(leaf: "server",   policy: .revocation(flags: 3), failures: []),
    ])
    func `all failures of a certificate are reported`(row: FailureRow) throws {
        var request = try authority.request(row.leaf, row.policy)
        request.seconds += row.years * 366 * 86_400
        if !row.anchors { request.anchors = .only([]) }
        #expect(try CertificateTrust.failures(request) == row.failures)
        // The failure that `evaluate` reports is one of all failures; a trusted certificate has none.
        switch try CertificateTrust.evaluate(request) {
        case .trusted: #expect(row.failures.isEmpty)
        case .untrusted(let failure): #expect(row.failures.contains(failure))
        }
    }

    /// swift-certificates stops at the first chain it finds, even if a CA in it has expired.
    @Test func `a valid chain is found although another one has an expired CA`() throws {
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
            var request = try authority.request("server", .server(hostname: "other.example"))
            request.leaf = try folder.certificate("leaf.pem")
            request.intermediates = []
            request.anchors = .only(anchors)
            request.seconds += 366 * 86_400
            #expect(try CertificateTrust.failures(request) == [.nameMismatch])
            request.policy = .basic
            #expect(try CertificateTrust.failures(request) == [])
        }
    }

    @Test func `there is no trusted chain without the intermediate certificate`() throws {
        var request = try authority.request("server", .basic)
        request.intermediates = [Data("no certificate".utf8), Data()]
        #expect(try CertificateTrust.evaluate(request) == .untrusted(.noTrustedChain))
    }

    @Test func `malformed intermediate certificates are ignored`() throws {
        var request = try authority.request("server", .basic)
        request.intermediates.insert(Data("no certificate".utf8), at: 0)
        #expect(try CertificateTrust.isTrusted(request))
    }

    @Test func `only certificates that chain to an anchor are trusted`() throws {
        var request = try authority.request("server", .basic)
        request.intermediates.append(authority.root)
        request.anchors = .only([])
        #expect(try CertificateTrust.evaluate(request) == .untrusted(.noTrustedChain))
        request.anchors = .system
        #expect(try CertificateTrust.evaluate(request) == .untrusted(.noTrustedChain))
        request.anchors = .systemAnd([authority.root])
        #expect(try CertificateTrust.isTrusted(request))
        // A certificate set as the anchor for itself is trusted only if it is marked as a CA.
        request.anchors = .only([request.leaf])
        #expect(try CertificateTrust.evaluate(request) == .untrusted(.noTrustedChain))
        request.leaf = authority.root
        request.anchors = .only([authority.root])
        #expect(try CertificateTrust.evaluate(request) == .trusted(chain: [authority.root]))
    }

    @Test func `a system root is trusted`() throws {
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
        // Only half of the roots must be trusted, because some may have expired by now.
        #expect(trusted.count > roots.count / 2)
    }

    @Test(arguments: [Data(), Data("no certificate".utf8), Data(count: 300_000)])
    func `malformed certificates are an error`(bytes: Data) throws {
        var request = try authority.request("server", .basic)
        request.leaf = bytes
        #expect(throws: StatusError(.undecodable, .malformedCertificate)) {
            try CertificateTrust.evaluate(request)
        }
    }

    /// n certificates with the same name and key that all sign each other form n! chains.
    @Test func `an exponential number of chains does not hang`() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("maze")
        let maze = try (0..<24).map { number in
            try folder.openssl(
                "req -x509 -key maze.key -outform DER -days 3650 -subj /CN=maze -addext"
                    + " subjectAltName=DNS:\(number).example"
            )
        }
        var request = try authority.request("server", .basic)
        request.leaf = maze[0]
        request.intermediates = Array(maze.dropFirst())
        #expect(try CertificateTrust.evaluate(request) == .untrusted(.noTrustedChain))
    }

    @Test func `every thread of the cooperative pool can evaluate trust at the same time`() async throws {
        let request = try authority.request("server", .server(hostname: "host.example"))
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        let trusted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count { group.addTask { try CertificateTrust.isTrusted(request) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(trusted == count)
    }
}

extension CertificateTrust {
    static func isTrusted(_ request: TrustRequest) throws -> Bool {
        if case .trusted = try evaluate(request) { true } else { false }
    }
}
#else
@Suite struct TrustTests {
    @Test func `evaluating trust fails without the trait Trust`() {
        #expect(throws: StatusError(.unimplemented, .trustTraitDisabled)) {
            try CertificateTrust.isTrusted(leaf: Data(), intermediates: [], policy: .basic, at: 0)
        }
    }
}
#endif
