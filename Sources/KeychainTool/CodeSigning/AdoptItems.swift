// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// `codesign adopt` and `team move`: move items into the access groups that their programs have now.
struct AdoptItems {
    let arguments: ScannedArguments

    private static let exitNotFound: Int32 = 44

    func run() throws(Failure) {
        let user = try user()
        guard !arguments.has("list") else { return try list(user) }
        let path = try ExecutableArgument.path(arguments)
        guard let text = arguments.value("from") else {
            throw .usage("--from is required: the earlier executable, its digest, or its access group")
        }
        let (from, to) = (try Self.source(text), try target(path))
        try report(perform(.move(from: from, to: to), ofUser: user), "group", from, to)
    }

    /// Moves the items in the groups of the team that the first operand names to the team of the second.
    func moveTeam() throws(Failure) {
        let teams = arguments.operands.compactMap { TeamIdentifier($0) }
        guard teams.count == 2, arguments.operands.count == 2, teams[0] != teams[1] else {
            throw .usage("two team identifiers are required: the earlier one, and the new one")
        }
        let (from, to) = (teams[0].text, teams[1].text)
        try report(perform(.moveTeam(from: from, to: to), ofUser: user()), "team", from, to)
    }

    private func report(
        _ result: AdoptionReply,
        _ kind: String,
        _ from: String,
        _ to: String
    ) throws(Failure) {
        let (source, target) = (BlobText.line(from), BlobText.line(to))
        guard result.moved + result.kept + result.unread > 0 else {
            throw .message("\(source): no items", result: Self.exitNotFound)
        }
        if arguments.has("json") {
            try Console.write(Self.json(result, kind, to).line)
        } else {
            try Console.write("\(target): \(result.moved) items moved from \(source)\n")
        }
        if result.unread > 0 {
            throw .message(
                "\(source): \(result.unread) items cannot be read, and may be of this \(kind): they stay; --passcode-fd gives the passcode",
                result: 1
            )
        }
        guard result.kept > 0 else { return }
        throw .message(
            "\(source): \(result.kept) items stay, because \(target) has the same items or the passcode does not open them",
            result: 1
        )
    }

    private static func json(_ result: AdoptionReply, _ kind: String, _ name: String) -> JSONText {
        .object([
            ("schemaVersion", .number(1)), (kind, .string(name)), ("moved", .number(Int(result.moved))),
            ("kept", .number(Int(result.kept))), ("unread", .number(Int(result.unread))),
        ])
    }

    private func list(_ user: UInt32?) throws(Failure) {
        let groups = try perform(.list, ofUser: user).groups
        guard arguments.has("json") else {
            return try Console.write(
                groups.map { "\(BlobText.line($0.group)): \($0.items) items\n" }.joined()
            )
        }
        let objects = groups.map { group in
            JSONText.object([("group", .string(group.group)), ("items", .number(Int(group.items)))])
        }
        try Console.write(
            JSONText.object([("schemaVersion", .number(1)), ("groups", .array(objects))]).line
        )
    }

    /// The user whose items are moved; `nil` for the user who runs this command.
    private func user() throws(Failure) -> UInt32? {
        guard let text = arguments.value("user") else { return nil }
        guard geteuid() == 0 else { throw .usage("--user requires root") }
        if let number = UInt32(text) { return number }
        guard let account = try? UserAccount.find(named: text) else {
            throw .message("\(BlobText.line(text)): no such user", result: 1)
        }
        return account.user
    }

    /// Sends a request to the system service; no other service gives unsigned programs access groups of their own.
    private func perform(
        _ operation: AdoptionCall.Operation,
        ofUser user: UInt32?
    ) throws(Failure) -> AdoptionReply {
        let (daemon, level) = try call { () throws(StatusError) in
            let daemon = try SystemKeychain.runningDaemon()
            return (daemon, try daemon.identity().level)
        }
        guard level >= .digest else {
            throw .message("only the system service gives access groups to programs", result: 1)
        }
        let passcode = try passcode()
        return try call { () throws(StatusError) in
            try daemon.adopt(operation, ofUser: user, passcode: passcode)
        }
    }

    private func passcode() throws(Failure) -> SecretBytes {
        guard geteuid() != 0 || arguments.value("passcode-fd") != nil else {
            return unsafe SecretBytes(count: 0) { _ in }
        }
        return try TeamPasscode(arguments: arguments).read(asking: ["passcode of the keychain: "])
    }

    /// Returns the access group of an unsigned program, named by the group, a digest, or an executable's path.
    private static func source(_ text: String) throws(Failure) -> String {
        if PrivateGroup.contains(text) { return text }
        if let digest = Hexadecimal.bytes32(text) {
            return ExecutableDigest(digest: digest, size: 0).privateGroup
        }
        return try ExecutableArgument.digest(of: ExecutableArgument.open(text), text).privateGroup
    }

    /// Returns the default access group that the system service gives to an executable.
    private func target(_ path: String) throws(Failure) -> String {
        let executable = try ExecutableArgument.open(path)
        let digest = try ExecutableArgument.digest(of: executable, path)
        if let signature = SignatureSource.read(path),
            case .trusted(let identity) = try TrustedTeams.read(arguments)
                .evaluate(signature, of: digest, at: EndDate.now),
            let group = identity.caller(claim: { _ in false }).accessGroups.first
        {
            return group
        }
        if let path = InstalledFile.resolved(path), RegisteredPrograms.ofSystem().paths.contains(path),
            InstalledFile.isProtected(path)
        {
            return PrivateGroup.ofRegisteredProgram(path)
        }
        return digest.privateGroup
    }

    private func call<Result>(_ body: () throws(StatusError) -> Result) throws(Failure) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            throw .message(KeychainCalls.described(error), result: error.status.rawValue)
        }
    }
}
