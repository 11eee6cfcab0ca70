// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient

/// `codesign verify`: checks the signature of an executable against the trusted teams.
struct VerifyExecutable {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let path = try ExecutableArgument.path(arguments)
        let executable = try ExecutableArgument.open(path)
        guard let signature = SignatureSource.read(path) else { throw Self.unsigned(path) }
        let digest = try ExecutableArgument.digest(of: executable, path)
        let store = try TrustedTeams.read(arguments)
        let identity = try Self.identity(store.evaluate(signature, of: digest, at: EndDate.now), path)
        for group in identity.refusedGroups {
            Console.complain("warning: the group \(group) belongs to another team and is not granted")
        }
        if arguments.has("json") { return try Console.write(Self.json(identity, path).line) }
        try Console.write(
            "\(BlobText.line(path)): valid, \(identity.applicationIdentifier), team \(identity.team.name)\n"
        )
    }

    private static func json(_ identity: SignedIdentity, _ path: String) -> JSONText {
        .object([
            ("schemaVersion", .number(1)), ("executable", .string(path)),
            ("identifier", .string(identity.applicationIdentifier)),
            ("team", .string(identity.team.identifier.text)), ("teamName", .string(identity.team.name)),
            ("refusedGroups", .array(identity.refusedGroups.map { .string($0) })),
        ])
    }

    static func unsigned(_ path: String) -> Failure {
        .message("\(BlobText.line(path)): not signed", result: 1)
    }

    /// Returns the identity of a trusted signature.
    ///
    /// - Throws: A failure: exit code 1 for a damaged signature or a changed executable, 3 for an untrusted one.
    static func identity(_ verdict: SignatureVerdict, _ path: String) throws(Failure) -> SignedIdentity {
        switch verdict {
        case .trusted(let identity): return identity
        case .damaged(let damage):
            throw .message("\(BlobText.line(path)): \(BlobText.line(damage.text))", result: 1)
        case .distrusted(let distrust):
            throw .message("\(BlobText.line(path)): \(distrust.text)", result: 3)
        }
    }
}

/// Reads the trusted teams: those in the directory that `--teams` names, or else those of the system and the user.
enum TrustedTeams {
    static func read(_ arguments: ScannedArguments) throws(Failure) -> TrustStore {
        guard let directory = arguments.value("teams") else {
            var store = warned(.ofSystem(), TrustStore.systemDirectory)
            // If the keychain's store cannot be read, use only the teams that the system trusts.
            for team in (try? SystemKeychain.userTeams()) ?? [] { store.addUserTeam(team) }
            return store
        }
        var file = clinux_file()
        guard unsafe clinux_identify(AT_FDCWD, directory, 0, &file) == 0 else {
            throw InputFile.failure(directory, errno)
        }
        // The team files must belong to the current user if the directory does, and otherwise to root.
        let owner = file.owner == geteuid() ? geteuid() : 0
        return warned(TrustStore(directory: directory, owner: owner), directory)
    }

    static func warned(_ store: TrustStore, _ directory: String) -> TrustStore {
        for problem in store.problems {
            let path = problem.file.hasPrefix("/") ? problem.file : "\(directory)/\(problem.file)"
            Console.complain("warning: \(BlobText.line(path)): \(problem.defect.text), so it trusts no team")
        }
        return store
    }
}

extension SignatureDamage {
    var text: String {
        switch self {
        case .tooLong: "the signature has more than 16,384 bytes"
        case .malformed: "the signature is damaged: its format is invalid"
        case .entitlements(let defect): "the signature is damaged: \(defect.text)"
        case .signature: "the signature is damaged: the public keys do not verify it"
        case .executableChanged: "the executable has changed since it was signed"
        }
    }
}

extension Distrust {
    var text: String {
        switch self {
        case .unknownTeam: "not trusted: no file names its team"
        case .teamDisabled: "not trusted: the file of its team is defective"
        case .signatureExpired: "the signature has expired"
        case .signingKeyExpired: "the signing key has expired"
        case .signingKeyRevoked: "the signing key is revoked"
        case .executableRevoked: "the team has revoked this executable"
        }
    }
}
