// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

/// `find-identity`: lists identities, which are certificates with their private keys.
struct FindIdentity {
    let arguments: ScannedArguments

    #if Trust
    static let validityHelp = "Show only valid identities: trusted by the system's roots, and valid today."
    #else
    static let validityHelp =
        "Show only valid identities: by their dates alone, as this build was made without the package trait Trust."
    #endif

    func run() throws(Failure) {
        // Refuse an unknown purpose: listing identities without checking the purpose would mislead.
        guard let purpose = Purpose(rawValue: arguments.value("policy") ?? "basic") else {
            let names = Purpose.allCases.map(\.rawValue).joined(separator: ", ")
            throw .message(
                "find-identity -p: the supported policies are \(names)",
                result: Status.unimplemented.rawValue
            )
        }
        var (all, valid, foreign) = ([] as [String], [] as [String], [] as [String])
        var documents: [JSONText] = []
        var withheld: Listing?
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            let listing = Listing(.omitted)
            let identities = try StoredObject.all(.identity, in: listing).filter(fits)
            let problems = try problems(of: identities, for: purpose, listing)
            all += zip(identities, problems).map { identity, problem in Self.line(identity, problem: problem)
            }
            valid += zip(identities, problems).filter { $0.1 == nil }.map { Self.line($0.0, problem: nil) }
            for (identity, problem) in zip(identities, problems)
            where problem == nil || !arguments.has("valid-only") {
                documents.append(Self.json(identity, problem))
            }
            if identities.isEmpty { foreign += foreignGroups() }
            if listing.withheld != nil { withheld = withheld ?? listing }
        }
        if arguments.has("json") {
            try Console.write(JSONText.array(documents).line)
        } else {
            try write(all, valid, purpose)
        }
        if all.isEmpty { AccessGroups.tell(of: foreign) }
        try withheld?.finish()
    }

    private func foreignGroups() -> [String] {
        AccessGroups.foreign { () throws(Failure) in
            try StoredObject.all(.identity, in: Listing(.omitted)).filter(fits).compactMap(\.accessGroup)
        }
    }

    private func write(_ all: [String], _ valid: [String], _ purpose: Purpose) throws(Failure) {
        if arguments.has("valid-only") {
            try Console.write(Self.list(valid, summary: "valid identities found"))
        } else {
            try Console.write(
                """

                Policy: \(purpose.title)
                  Matching identities
                \(Self.list(all, summary: "identities found"))
                  Valid identities only
                \(Self.list(valid, summary: "valid identities found"))
                """
            )
        }
    }

    private func fits(_ identity: StoredObject) -> Bool {
        guard let name = arguments.value("name")?.lowercased() else { return true }
        return (identity.names + identity.emailAddresses).contains { $0.lowercased().contains(name) }
    }

    private static func line(_ identity: StoredObject, problem: String?) -> String {
        let digest = BlobText.digits(identity.certificate?.sha1Digest ?? Data())
        return "\(digest) \"\(BlobText.line(identity.label))\"\(problem.map { " (\($0))" } ?? "")"
    }

    private static func json(_ identity: StoredObject, _ problem: String?) -> JSONText {
        let reason = problem.map { [("problem", JSONText.string($0))] } ?? []
        return ListedItem(found: identity.found)
            .json(value: nil, adding: [("isValid", .boolean(problem == nil))] + reason)
    }

    private static func list(_ lines: [String], summary: String) -> String {
        let numbered = lines.enumerated().map { index, line in
            let number = String(index + 1)
            return String(repeating: " ", count: max(0, 3 - number.count)) + "\(number)) \(line)\n"
        }
        return numbered.joined() + "     \(lines.count) \(summary)\n"
    }

    /// The problem of each identity in macOS's words; `nil` if valid.
    private func problems(
        of identities: [StoredObject],
        for purpose: Purpose,
        _ listing: Listing
    ) throws(Failure) -> [String?] {
        let now = Date().timeIntervalSinceReferenceDate
        let trusted = try Self.trusted(for: purpose.policy, listing)
        return identities.map { identity in
            guard let certificate = identity.certificate else { return "CSSMERR_TP_INVALID_CERTIFICATE" }
            if now < certificate.notBefore { return "CSSMERR_TP_CERT_NOT_VALID_YET" }
            if now > certificate.notAfter { return "CSSMERR_TP_CERT_EXPIRED" }
            if purpose == .codeSigning, !certificate.permitsCodeSigning {
                return "Invalid Extended Key Usage for policy"
            }
            guard let trusted else { return nil }
            return trusted.contains(identity.found.reference) ? nil : "CSSMERR_TP_NOT_TRUSTED"
        }
    }

    /// The references of the trusted identities; `nil` in a build without the trait `Trust`.
    private static func trusted(
        for policy: CertificatePolicy,
        _ listing: Listing
    ) throws(Failure) -> Set<PersistentReference>? {
        #if Trust
        var test = CertificateTest()
        test.policy = policy
        return Set(try StoredObject.all(.identity, passing: test, in: listing).map(\.found.reference))
        #else
        return nil
        #endif
    }
}

/// The purpose of an identity.
///
/// Without the package trait `Trust`, only the dates are checked, and for `codesigning` the extended key usage.
private enum Purpose: String, CaseIterable {
    case basic
    case codeSigning = "codesigning"
    #if Trust
    case server = "ssl-server"
    case client = "ssl-client"
    #endif

    var title: String {
        switch self {
        case .basic: "X.509 Basic"
        case .codeSigning: "Code Signing"
        #if Trust
        case .server: "SSL (server)"
        case .client: "SSL (client)"
        #endif
        }
    }

    var policy: CertificatePolicy {
        switch self {
        case .basic, .codeSigning: .basic
        #if Trust
        case .server: .server(hostname: nil)
        case .client: .client(hostname: nil)
        #endif
        }
    }
}
