// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// `verify-cert`: verifies a certificate and its chain.
struct VerifyCertificate {
    let arguments: ScannedArguments

    private static let step = "SecTrustEvaluateWithError"

    func run() throws(Failure) {
        let policy = try policy()
        let seconds = try date()
        var certificates = try self.certificates("certificate")
        guard !certificates.isEmpty else { throw .usage("-c and the file of a certificate are required") }
        let leaf = certificates.removeFirst()
        let roots = try self.certificates("root").map(\.der)
        let request = TrustRequest(
            leaf: leaf.der,
            intermediates: certificates.map(\.der) + (try storedCertificates()),
            anchors: roots.isEmpty ? .system : .only(roots),
            policy: policy,
            seconds: seconds
        )
        let result = try KeychainCalls.recording(Self.step) { () throws(StatusError) in
            try CertificateTrust.evaluate(request)
        }
        let problem = problem(result, of: leaf)
        if arguments.has("json") { try Console.write(Self.json(result, problem).line) }
        if let problem { return try refuse(problem) }
        guard !arguments.has("json") else { return }
        if !arguments.has("quiet") { try Console.write("...certificate verification successful.\n") }
        guard arguments.has("verbose-chain"), case .trusted(let chain) = result else { return }
        try Console.write(Self.lines(chain))
    }

    private func refuse(_ problem: String) throws(Failure) {
        if !arguments.has("quiet") { Console.say("Cert Verify Result: \(problem)\n") }
        throw .said(result: 1)
    }

    /// The problem in macOS's words; `nil` for a trusted certificate.
    private func problem(_ result: TrustResult, of leaf: ParsedCertificate) -> String? {
        switch result {
        case .untrusted(let failure): return Self.name(failure)
        case .trusted:
            if arguments.value("policy") == "codeSign", !leaf.permitsCodeSigning {
                return "CSSMERR_APPLETP_CODE_SIGN_NO_EXTENDED_KEY_USAGE"
            }
            let address = arguments.value("email")
            return address.map(leaf.hasEmailAddress) == false
                ? "CSSMERR_APPLETP_SMIME_EMAIL_ADDRS_NOT_FOUND" : nil
        }
    }

    private static func name(_ failure: TrustFailure) -> String {
        switch failure {
        case .noTrustedChain: "CSSMERR_TP_NOT_TRUSTED"
        case .nameMismatch: "CSSMERR_APPLETP_HOSTNAME_MISMATCH"
        case .purposeMismatch: "CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE"
        case .expired: "CSSMERR_TP_CERT_EXPIRED"
        case .notYetValid: "CSSMERR_TP_CERT_NOT_VALID_YET"
        case .revocationUnknown: "CSSMERR_APPLETP_INCOMPLETE_REVOCATION_CHECK"
        }
    }

    private static func lines(_ chain: [Data]) -> String {
        names(chain).enumerated().map { "\($0.offset): \(BlobText.line($0.element))\n" }.joined()
    }

    private static func names(_ chain: [Data]) -> [String] {
        chain.map { (try? ParsedCertificate(parsing: $0))?.commonNames.last ?? "" }
    }

    private static func json(_ result: TrustResult, _ problem: String?) -> JSONText {
        let chain: [Data] = if case .trusted(let chain) = result { chain } else { [] }
        let members: [(String, JSONText)] = [
            ("schemaVersion", .number(1)), ("isTrusted", .boolean(problem == nil)),
            ("chain", .array(names(chain).map { .string($0) })),
        ]
        return .object(members + (problem.map { [("problem", .string($0))] } ?? []))
    }

    // MARK: Arguments

    private func policy() throws(Failure) -> CertificatePolicy {
        if let check = arguments.value("revocation"), check != "none" {
            throw unsupported("-R", "revocation is never checked; only none is accepted")
        }
        switch arguments.value("policy") ?? (arguments.has("host") ? "ssl" : "basic") {
        case "basic", "codeSign": return .basic
        case "smime":
            guard arguments.has("email") else { throw .usage("-p smime requires -e") }
            return .basic
        case "ssl":
            let host = arguments.value("host")
            return arguments.has("client") ? .client(hostname: host) : .server(hostname: host)
        default: throw unsupported("-p", "the supported policies are basic, ssl, smime and codeSign")
        }
    }

    private func unsupported(_ option: String, _ text: String) -> Failure {
        .message("verify-cert \(option): \(text)", result: Status.unimplemented.rawValue)
    }

    /// The verification date: that of `-d`, or now, in seconds since 2001-01-01 00:00 UTC.
    private func date() throws(Failure) -> Double {
        guard let text = arguments.value("date") else { return ItemExpiry.now() }
        let parts = text.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        let times = parts.count == 4 ? parts[3].split(separator: ":").map { UInt8($0).map(Double.init) } : []
        guard let day = CalendarText.secondsSince1970(day: parts.prefix(3).joined(separator: "-")),
            parts.count == 3 || times.count == 3
        else { throw Self.malformedDate }
        var seconds = day - CalendarText.secondsTo2001
        for (time, unit) in zip(times, [3_600.0, 60, 1]) {
            guard let time, time < (unit == 3_600 ? 24 : 61) else { throw Self.malformedDate }
            seconds += time * unit
        }
        return seconds
    }

    private static let malformedDate = Failure.usage("-d takes a date such as 2030-12-31-23:59:59, in UTC")

    // MARK: Certificates

    /// Reads the certificates of all files that an option names.
    private func certificates(_ option: String) throws(Failure) -> [ParsedCertificate] {
        var found: [ParsedCertificate] = []
        for occurrence in arguments.occurrences where occurrence.option.name == option {
            let name = occurrence.value ?? ""
            let file = ExternalFile(
                name: name,
                format: .unknown,
                type: .certificate,
                step: "SecCertificateCreateWithData"
            )
            found += try file.items(in: InputFile.read(name)).compactMap(\.certificate)
        }
        return found
    }

    /// The certificates of the keychains, which can complete the chain; none with `-n`.
    private func storedCertificates() throws(Failure) -> [Data] {
        guard !arguments.has("no-keychain") else { return [] }
        let state = ContextState()
        state.interactionNotAllowed = true
        var found: [Data] = []
        do throws(Failure) {
            try Keychains.each(arguments.namedKeychains, arguments) { () throws(Failure) in
                let listed = try StoredObject.all(.certificate, in: Listing(.omitted, state))
                found += listed.compactMap(\.certificate?.der)
            }
        } catch {
            // A keychain that the user has named must be readable.
            guard arguments.namedKeychains.isEmpty else { throw error }
        }
        return found
    }
}
