// SPDX-License-Identifier: Apache-2.0

/// A command of the tool, by macOS's name, with its options and the function that runs it.
package struct Verb: Sendable {
    package let name: String
    /// The first sentence of its help.
    package let summary: String
    /// More help; `nil` if the summary and the options say everything.
    package let discussion: String?
    package let options: [ToolOption]
    package let operand: Operand?
    /// Whether every argument is an operand, because operands can begin with a dash.
    let readsOperandsOnly: Bool
    /// Whether options end at the first operand, because what follows is another command.
    let stopsAtOperand: Bool
    let run: @Sendable (ScannedArguments) throws(Failure) -> Void

    init(
        _ name: String,
        _ summary: String,
        discussion: String? = nil,
        options: [ToolOption] = [],
        operand: Operand? = nil,
        readsOperandsOnly: Bool = false,
        stopsAtOperand: Bool = false,
        run: @escaping @Sendable (ScannedArguments) throws(Failure) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.operand = operand
        self.readsOperandsOnly = readsOperandsOnly
        self.stopsAtOperand = stopsAtOperand
        self.run = run
    }
}

extension Verb {
    /// Every command; an abbreviation selects the first that it fits, as on macOS.
    package static let table: [Verb] = [
        help, listKeychains, defaultKeychain, loginKeychain, createKeychain, lockKeychain, unlockKeychain,
        setKeychainSettings, setKeychainPassword, setKeyPartitionList, showKeychainInfo, dumpKeychain,
        createKeypair, addGenericPassword, addInternetPassword, addCertificates, findGenericPassword,
        findInternetPassword, deleteGenericPassword, deleteInternetPassword, findKey, findCertificate,
        findIdentity, deleteCertificate, deleteIdentity, deleteKey, deleteKeychain, export, `import`, error,
        get, set, rm, list, run, doctor,
        exitCodes,
    ]

    /// Finds the verb by its name, else by any beginning of it; `delete-keychain` cannot be undone and must be written out.
    package static func find(_ abbreviation: String) -> Verb? {
        guard !abbreviation.isEmpty else { return nil }
        if let verb = table.first(where: { $0.name == abbreviation }) { return verb }
        guard let verb = table.first(where: { $0.name.utf8.starts(with: abbreviation.utf8) }),
            verb.name != deleteKeychain.name
        else { return nil }
        return verb
    }
}

extension Verb: CustomStringConvertible {
    package var description: String { name }
}
