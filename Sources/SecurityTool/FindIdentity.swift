// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `find-identity`.
struct FindIdentity {
    let arguments: ScannedArguments

    #if Trust
    static let validityHelp = "Show only valid identities: trusted by the system's roots, and valid today."
    #else
    static let validityHelp =
        "Show only valid identities: by their dates alone, as this build was made without the package trait Trust."
    #endif

    func run() throws(Failure) {
        try Keychain.check(operands: arguments.operands)
        // No other purpose can be judged, and to list what may not be good for it would be a lie.
        guard [nil, "basic"].contains(arguments.value("policy")) else {
            throw .message("find-identity -p: only basic can be judged", result: errSecUnimplemented)
        }
        let listing = Listing(.told)
        let identities = try StoredObject.all(.identity, in: listing).filter(fits)
        let problems = try problems(of: identities, listing)
        let all = zip(identities, problems).map { identity, problem in Self.line(identity, problem: problem) }
        let valid = zip(identities, problems).filter { $0.1 == nil }.map { Self.line($0.0, problem: nil) }
        if arguments.has("valid-only") {
            try Console.write(Self.list(valid, summary: "valid identities found"))
        } else {
            try Console.write(
                """

                Policy: X.509 Basic
                  Matching identities
                \(Self.list(all, summary: "identities found"))
                  Valid identities only
                \(Self.list(valid, summary: "valid identities found"))
                """
            )
        }
        try listing.finish()
    }

    private func fits(_ identity: StoredObject) -> Bool {
        guard let name = arguments.value("name")?.lowercased() else { return true }
        return (identity.names + identity.emailAddresses).contains { $0.lowercased().contains(name) }
    }

    /// A number, the SHA-1 digest and the label.
    private static func line(_ identity: StoredObject, problem: String?) -> String {
        let digest = BlobText.digits(identity.certificate?.sha1Digest ?? Data())
        return "\(digest) \"\(identity.label)\"\(problem.map { " (\($0))" } ?? "")"
    }

    private static func list(_ lines: [String], summary: String) -> String {
        let numbered = lines.enumerated().map { index, line in
            let number = String(index + 1)
            return String(repeating: " ", count: max(0, 3 - number.count)) + "\(number)) \(line)\n"
        }
        return numbered.joined() + "     \(lines.count) \(summary)\n"
    }

    /// Why each identity is not valid, in macOS's words; `nil` for one that is.
    private func problems(of identities: [StoredObject], _ listing: Listing) throws(Failure) -> [String?] {
        let now = Date()
        let trusted = try Self.trusted(listing)
        return identities.map { identity in
            guard let certificate = identity.certificate else { return "CSSMERR_TP_INVALID_CERTIFICATE" }
            if now < certificate.notValidBefore { return "CSSMERR_TP_CERT_NOT_VALID_YET" }
            if now > certificate.notValidAfter { return "CSSMERR_TP_CERT_EXPIRED" }
            guard let trusted, let reference = identity.reference else { return nil }
            return trusted.contains(reference) ? nil : "CSSMERR_TP_NOT_TRUSTED"
        }
    }

    /// The references of the identities that are trusted; `nil` where nobody can say.
    private static func trusted(_ listing: Listing) throws(Failure) -> Set<NSData>? {
        #if Trust
        var query = ItemDictionary()
        query[kSecMatchTrustedOnly] = kCFBooleanTrue
        return Set(try StoredObject.all(.identity, agreeingIn: query, in: listing).compactMap(\.reference))
        #else
        return nil
        #endif
    }
}
