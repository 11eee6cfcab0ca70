// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension ToolOption {
    /// The option `--json` of verbs that change something; without it, they print nothing or a sentence.
    static let jsonReport = ToolOption(nil, "json", .flag, "Print the change as JSON. (Not on macOS.)")
}

extension ScannedArguments {
    /// Prints a change that was made, if `--json` is given: an object with the command, its keychain and `members`.
    func reportChange(
        ofKeychain: Bool = true,
        _ members: [(String, JSONText)] = []
    ) throws(Failure) {
        guard has("json") else { return }
        let keychain = ofKeychain ? [("keychain", JSONText.string(KeychainCalls.directory()))] : []
        let head = [("schemaVersion", JSONText.number(1)), ("command", .string(verb))]
        try Console.write(JSONText.object(head + keychain + members).line)
    }

    /// Reports a change of one item, as ``reportChange(ofKeychain:_:)`` does; `members` follow its attributes.
    func reportChange(
        _ change: ItemChangeKind,
        of itemClass: ItemClass,
        _ attributes: Attributes,
        _ members: [(String, JSONText)] = []
    ) throws(Failure) {
        let item: [(String, JSONText)] = [
            ("change", .string(change.rawValue)), ("class", .string(itemClass.name)),
            ("attributes", attributes.json),
        ]
        try reportChange(item + members)
    }
}

enum ItemChangeKind: String {
    case added, updated, deleted
}
