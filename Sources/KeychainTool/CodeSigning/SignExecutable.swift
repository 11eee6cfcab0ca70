// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// `codesign sign`: signs an executable with a team's keys.
struct SignExecutable {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let path = try ExecutableArgument.path(arguments)
        let file = try TeamKeyFile("sign", of: arguments)
        guard let identifier = arguments.value("identifier") else { throw .usage("--identifier is required") }
        guard SignedEntitlements.isIdentifier(identifier) else {
            throw .usage("an identifier has 1 to 128 letters, digits, dots and hyphens")
        }
        let expires = try EndDate.read("expires", of: arguments)
        let stated = try arguments.value("entitlements").map { (name) throws(Failure) in
            try Self.entitlements(in: name)
        }
        let executable = try ExecutableArgument.open(path)
        guard let image = executable.image else {
            throw .message("\(BlobText.line(path)): not an ELF executable", result: 1)
        }
        LibraryDirectories.warn(of: image)
        let digest = try ExecutableArgument.digest(of: executable, path)
        let keys = try file.open(try TeamPasscode(arguments: arguments).read(isNew: false))
        let signature = try sign(
            digest,
            with: keys,
            try Self.granted(stated, identifier: identifier, team: keys.team),
            expires: expires
        )
        try write(signature.bytes, for: path)
        try Console.write("\(BlobText.line(path)): signed as \(keys.team.prefix)\(identifier)\n")
    }

    private func sign(
        _ executable: ExecutableDigest,
        with keys: TeamKeys,
        _ entitlements: SignedEntitlements,
        expires: UInt64
    ) throws(Failure) -> CodeSignature {
        let (now, validUntil) = (EndDate.now, keys.certificate.validUntil)
        guard validUntil == 0 || validUntil > now else {
            throw .message(
                "signing key \(keys.certificate.serial) has expired; rotate makes a new one",
                result: 3
            )
        }
        do throws(EntitlementDefect) {
            return try keys.sign(
                executable,
                entitlements,
                at: now,
                expires: expires,
                isGroupLevelOnly: arguments.has("group-only")
            )
        } catch {
            throw .message(BlobText.line(error.text), result: 1)
        }
    }

    private static func entitlements(in name: String) throws(Failure) -> Entitlements {
        let bytes = Array(try InputFile.read(name))
        do throws(StatusError) {
            return try Entitlements(propertyList: bytes)
        } catch {
            throw .message("\(BlobText.line(name)): not a property list of entitlements", result: 1)
        }
    }

    /// Returns the entitlements to put into the signature, from the property list, the identifier and the team.
    private static func granted(
        _ stated: Entitlements?,
        identifier: String,
        team: TeamIdentifier
    ) throws(Failure) -> SignedEntitlements {
        let expand = { (group: String) in
            for variable in ["$(TeamIdentifierPrefix)", "$(AppIdentifierPrefix)"]
            where group.hasPrefix(variable) {
                return team.prefix + group.dropFirst(variable.count)
            }
            return group
        }
        if let named = stated?.applicationIdentifier, expand(named) != team.prefix + identifier {
            throw .message(
                "the property list has another application-identifier than \(team.prefix)\(identifier)",
                result: 1
            )
        }
        return SignedEntitlements(
            identifier: identifier,
            accessGroups: (stated?.keychainAccessGroups ?? []).map(expand),
            applicationGroups: (stated?.applicationGroups ?? []).map(expand)
        )
    }

    private func write(_ signature: [UInt8], for path: String) throws(Failure) {
        guard arguments.has("xattr") else {
            let name = path + SignatureSource.suffix
            try OutputFile.replace(name, by: signature, mode: 0o666, calling: name)
            // Remove an earlier signature from the extended attribute, which takes precedence over the signature file.
            SignatureSource.removeAttribute(of: path)
            return
        }
        let code = SignatureSource.writeAttribute(signature, to: path)
        guard code == 0 else { throw InputFile.failure(path, code) }
    }
}

enum ExecutableArgument {
    static func path(_ arguments: ScannedArguments) throws(Failure) -> String {
        guard let path = arguments.operands.first, !path.isEmpty else {
            throw .usage("an executable is required")
        }
        return path
    }

    static func open(_ path: String) throws(Failure) -> OpenExecutable {
        do throws(ExecutableDefect) {
            return try OpenExecutable(path)
        } catch {
            throw failure(error, path)
        }
    }

    static func digest(
        of executable: borrowing OpenExecutable,
        _ path: String
    ) throws(Failure) -> ExecutableDigest {
        do throws(ExecutableDefect) {
            return try executable.digest()
        } catch {
            throw failure(error, path)
        }
    }

    static func failure(_ defect: ExecutableDefect, _ path: String) -> Failure {
        switch defect {
        case .notARegularFile: .message("\(BlobText.line(path)): not a regular file", result: 1)
        case .tooLarge: .message("\(BlobText.line(path)): larger than 512 MiB", result: 1)
        case .changedMeanwhile:
            .message("\(BlobText.line(path)): it was written while it was read", result: 1)
        case .unreadable(let code): InputFile.failure(path, code)
        }
    }
}

extension EntitlementDefect {
    var text: String {
        switch self {
        case .identifier: "an identifier has 1 to 128 letters, digits, dots and hyphens"
        case .tooManyGroups:
            "too many groups: there can be 64 of each kind, and a signature has at most 16,384 bytes"
        case .groupTooLong(let group): "a group has at most 128 bytes: \(group)"
        case .forbiddenCharacter(let group):
            "a group cannot have a wildcard or an invisible character: \(group)"
        case .duplicateGroup(let group): "a group is listed twice: \(group)"
        case .foreignGroup(let group):
            "not a group of this team, whose groups start with its identifier and a dot: \(group)"
        }
    }
}
