// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// The name of a password in the short commands, such as `get`.
///
/// It is `SERVICE/ACCOUNT`, or `SERVICE` if the service has only one account; for an internet password, the server takes
/// the place of the service.
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

    /// Calls `body` with a filter for the item, in the first keychain that has the item.
    ///
    /// A generic password in any of the keychains takes precedence over all internet passwords.
    ///
    /// - Throws: A failure if no keychain has the item, or if the name matches several items of a keychain.
    func first<Result>(
        in keychains: [String],
        _ arguments: ScannedArguments,
        _ body: (ItemFilter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) {
            return try Keychains.first(keychains, arguments, genericPassword) { () throws(Failure) in
                try findGeneric(prefersSynchronizable: false, body)
            }
        } catch .status(.itemNotFound, let step, _), .store(.itemNotFound, let step, _) {
            return try Keychains.first(keychains, arguments, genericPassword) { () throws(Failure) in
                guard let filter = try internetPassword() else {
                    throw .status(.itemNotFound, step: step, reason: nil)
                }
                return try body(filter)
            }
        }
    }

    /// Calls `body` with a filter for the item in the current keychain.
    ///
    /// Generic passwords take precedence over internet passwords, and local items over synchronizable items; with
    /// `prefersSynchronizable`, a synchronizable generic password takes precedence. `body` throws `itemNotFound` if its
    /// filter matches no item.
    func find<Result>(
        prefersSynchronizable: Bool = false,
        _ body: (ItemFilter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) {
            return try findGeneric(prefersSynchronizable: prefersSynchronizable, body)
        } catch .status(.itemNotFound, let step, let reason) {
            guard let filter = try internetPassword() else {
                throw .status(.itemNotFound, step: step, reason: reason)
            }
            return try body(filter)
        }
    }

    private func findGeneric<Result>(
        prefersSynchronizable: Bool,
        _ body: (ItemFilter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var filter = genericPassword
        if account == nil { filter.attributes[.account] = .string(try onlyAccount(Self.search(filter))) }
        do throws(Failure) {
            filter.synchronizable = .exactly(prefersSynchronizable)
            return try body(filter)
        } catch .status(.itemNotFound, _, _) {
            filter.synchronizable = .exactly(!prefersSynchronizable)
            return try body(filter)
        }
    }

    /// The filter for generic passwords of this name, local and synchronizable ones.
    private var genericPassword: ItemFilter {
        var filter = ItemFilter(itemClass: .genericPassword, synchronizable: .any)
        filter.attributes[.service] = .string(service)
        filter.attributes[.account] = account.map { .string($0) }
        return filter
    }

    /// Returns the filter for the only internet password of this name; `nil` if there is none.
    private func internetPassword() throws(Failure) -> ItemFilter? {
        var filter = ItemFilter(itemClass: .internetPassword, synchronizable: .any)
        filter.attributes[.server] = .string(service)
        filter.attributes[.account] = account.map { .string($0) }
        let found: [ListedItem]
        do throws(Failure) {
            found = try Self.search(filter)
        } catch .status(.itemNotFound, _, _) {
            return nil
        }
        filter.attributes[.account] = .string(try onlyAccount(found))
        let local = found.filter { !$0.isSynchronizable }
        let items = local.isEmpty ? found : local
        guard items.count == 1 else {
            throw .message(
                "several internet passwords have this name, with different protocols, ports or paths; "
                    + "find-internet-password selects one of them",
                result: 1
            )
        }
        filter.reference = items[0].found.reference
        return filter
    }

    /// Returns the matching items with their attributes, non-interactively.
    private static func search(_ filter: ItemFilter) throws(Failure) -> [ListedItem] {
        let request = Request.copy(CopyRequest(filter: filter, limit: .all, returning: .attributes))
        let state = ContextState()
        state.interactionNotAllowed = true
        return try KeychainCalls.perform(request, state, step: "SecKeychainSearchCopyNext").map(
            ListedItem.init
        )
    }

    /// Returns the account that all items have.
    ///
    /// - Throws: A failure if the items have several accounts; the message names up to eight of them.
    private func onlyAccount(_ items: [ListedItem]) throws(Failure) -> String {
        let accounts = Set(items.map { $0.string(.account) }).sorted()
        guard accounts.count == 1 else {
            let names = accounts.prefix(Self.mostNamed).map { "\"\(BlobText.line($0))\"" }
            let rest = accounts.count > names.count ? " and \(accounts.count - names.count) more" : ""
            throw .message(
                "the service has several accounts, \(names.joined(separator: ", "))\(rest); name one after a slash",
                result: 1
            )
        }
        return accounts[0]
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
