// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainUserPresence

/// `get`: prints the password of one item.
struct GetPassword {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.has("raw") || !arguments.has("json") else {
            throw .usage("--raw and --json are mutually exclusive")
        }
        let item = try item(returning: arguments.has("json") ? [.attributes, .data] : .data)
        if arguments.has("json") {
            try Console.write(item.json(withData: true).line)
        } else if arguments.has("raw") {
            try Console.write(item.password)
        } else {
            try Console.write(Self.line(item.password, onTerminal: Console.isTerminal(STDOUT_FILENO)))
        }
    }

    private func item(returning: ReturnKeys) throws(Failure) -> ListedItem {
        try Self.item(arguments.itemName(), returning: returning, arguments)
    }

    /// Finds the item of a name in the keychains that the arguments select; may authenticate the user.
    static func item(
        _ name: ItemName,
        returning: ReturnKeys,
        _ arguments: ScannedArguments
    ) throws(Failure) -> ListedItem {
        try name.first(in: arguments.namedKeychains, arguments) { filter throws(Failure) in
            try item(filter, returning: returning)
        }
    }

    /// Finds the item that a filter matches in the current keychain; may authenticate the user.
    static func item(_ filter: ItemFilter, returning: ReturnKeys) throws(Failure) -> ListedItem {
        let step = "SecKeychainSearchCopyNext"
        let request = Request.copy(CopyRequest(filter: filter, returning: returning))
        let found = try KeychainCalls.perform(request, ContextState(), step: step)
        guard let item = found.first else { throw .status(.itemNotFound, step: step) }
        return ListedItem(found: item)
    }

    /// The password and a newline.
    ///
    /// On a terminal, the line breaks, control characters and format characters of a UTF-8 password are escaped.
    private static func line(_ password: [UInt8], onTerminal: Bool) -> [UInt8] {
        let text = onTerminal ? String(validating: password, as: UTF8.self).map(BlobText.line) : nil
        return (text.map { Array($0.utf8) } ?? password) + [UInt8(ascii: "\n")]
    }
}
