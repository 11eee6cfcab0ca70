// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// The name of a generic password in the short commands, such as `get`.
///
/// It is `SERVICE/ACCOUNT`, or `SERVICE` if the service has only one account.
struct ItemName {
    let service: String
    /// The account; `nil` if the name has no slash and selects the service's only account.
    let account: String?

    /// Splits a name at its last slash, because services can be URLs.
    init(_ text: String) throws(Failure) {
        guard let slash = text.lastIndex(of: "/") else {
            guard !text.isEmpty else { throw Self.malformed }
            (service, account) = (text, nil)
            return
        }
        guard slash != text.startIndex else { throw Self.malformed }
        service = String(text[..<slash])
        account = String(text[text.index(after: slash)...])
    }

    private static let malformed = Failure.usage("an item is written SERVICE/ACCOUNT")

    var filter: ItemFilter {
        var filter = ItemFilter(itemClass: .genericPassword)
        filter.attributes[.service] = .string(service)
        filter.attributes[.account] = account.map { .string($0) }
        return filter
    }

    /// The filter for the item; a name without an account selects its service's only account.
    ///
    /// - Throws: A failure if the service is not found, or has several accounts; the message then names up to eight.
    func withAccount(in keychains: [String], _ arguments: ScannedArguments) throws(Failure) -> ItemFilter {
        var filter = filter
        guard account == nil else { return filter }
        let request = Request.copy(CopyRequest(filter: filter, limit: .all, returning: .attributes))
        let state = ContextState()
        state.interactionNotAllowed = true
        let found = try Keychains.first(keychains, arguments, filter) { () throws(Failure) in
            try KeychainCalls.perform(request, state, step: "SecKeychainSearchCopyNext")
        }
        let accounts = Set(found.map { ListedItem(found: $0).string(.account) }).sorted()
        guard accounts.count == 1 else {
            let names = accounts.prefix(Self.mostNamed).map { "\"\(BlobText.line($0))\"" }
            let rest = accounts.count > names.count ? " and \(accounts.count - names.count) more" : ""
            throw .message(
                "the service has several accounts, \(names.joined(separator: ", "))\(rest); name one after a slash",
                result: 1
            )
        }
        filter.attributes[.account] = .string(accounts[0])
        return filter
    }

    private static let mostNamed = 8
}

extension ScannedArguments {
    func itemName() throws(Failure) -> ItemName {
        guard let operand = operands.first else { throw .usage("an item is required") }
        return try ItemName(operand)
    }

    /// The keychain of `-k`; empty without the option, so that the search list applies.
    var namedKeychains: [String] { value("keychain").map { [$0] } ?? [] }
}
