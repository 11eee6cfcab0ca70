// SPDX-License-Identifier: Apache-2.0

/// A command of the tool, with its options and the function that runs it.
///
/// A command of macOS's `security` has the same name here. `Verb` is a class, because the code that copies a structure
/// with so many strings and closures needs type metadata, which slows down the start of the command.
package final class Verb: Sendable {
    package let name: String
    /// The first sentence of the help text.
    package let summary: String
    /// The rest of the help text; `nil` if the summary says everything.
    package let discussion: String?
    private let makeOptions: @Sendable () -> [ToolOption]
    package let operand: Operand?
    /// Whether all arguments after flags at the start are operands, because operands can begin with a dash.
    let readsOperandsOnly: Bool
    /// Whether options end at the first operand: a subcommand, or the command line of another program.
    let stopsAtOperand: Bool
    /// The subcommands, which the first operand selects; their names start with the name of this verb.
    package let subcommands: [Verb]
    let run: @Sendable (ScannedArguments) throws(Failure) -> Void

    init(
        _ name: String,
        _ summary: String,
        discussion: String? = nil,
        options: @escaping @autoclosure @Sendable () -> [ToolOption] = [],
        operand: Operand? = nil,
        readsOperandsOnly: Bool = false,
        stopsAtOperand: Bool = false,
        subcommands: [Verb] = [],
        run: @escaping @Sendable (ScannedArguments) throws(Failure) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        makeOptions = options
        self.operand = operand
        self.readsOperandsOnly = readsOperandsOnly
        self.stopsAtOperand = stopsAtOperand
        self.subcommands = subcommands
        self.run = run
    }
}

extension Verb {
    /// The options; created only when used, because a command line needs the options of only one verb in the table.
    package var options: [ToolOption] { makeOptions() }

    /// All commands; an abbreviation selects the first match, as on macOS.
    package static let table: [Verb] = [
        help, listKeychains, defaultKeychain, loginKeychain, createKeychain, lockKeychain, unlockKeychain,
        setKeychainSettings, setKeychainPassword, setKeyPartitionList, showKeychainInfo, dumpKeychain,
        createKeypair, addGenericPassword, addInternetPassword, addCertificates, findGenericPassword,
        findInternetPassword, deleteGenericPassword, deleteInternetPassword, findKey, findCertificate,
        findIdentity, verifyCertificate, deleteCertificate, deleteIdentity, deleteKey, deleteKeychain, export,
        `import`, error,
        get, set, rm, list, run, doctor, copy, edit, otp, verifyKeychain, backup, restore, repair,
        rotateKeys,
        importPasswords, exportPasswords, gitCredential, dockerCredential, cargoCredential, awsCredential,
        netrc, askpass, sshAgent, exit, exitCodes, codesign, team, daemonStatus, audit, migrateToDaemon,
        sync,
    ]

    /// Finds a verb by its name or an abbreviation; `nil` if there is no such verb.
    ///
    /// `delete-keychain` cannot be undone and must not be abbreviated.
    package static func find(_ abbreviation: String) -> Verb? {
        guard !abbreviation.isEmpty else { return nil }
        if let verb = passwordVerb(abbreviation) { return verb }
        if let verb = table.first(where: { $0.name == abbreviation }) { return verb }
        guard let verb = table.first(where: { $0.name.utf8.starts(with: abbreviation.utf8) }),
            verb.name != deleteKeychain.name
        else { return nil }
        return verb
    }

    /// Finds the verbs that scripts call most often, without creating the table of all verbs.
    private static func passwordVerb(_ name: String) -> Verb? {
        switch name {
        case "find-generic-password": findGenericPassword
        case "add-generic-password": addGenericPassword
        case "find-internet-password": findInternetPassword
        case "add-internet-password": addInternetPassword
        default: nil
        }
    }
}

extension Verb: CustomStringConvertible {
    package var description: String { name }
}
