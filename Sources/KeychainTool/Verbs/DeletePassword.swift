// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `delete-generic-password` and `delete-internet-password`: delete one item, even if several match, as on macOS.
struct DeletePassword {
    private let itemClass: ItemClass
    private let arguments: ScannedArguments

    init(_ itemClass: ItemClass, _ arguments: ScannedArguments) {
        self.itemClass = itemClass
        self.arguments = arguments
    }

    private static let step = "SecKeychainItemDelete"

    func run() throws(Failure) {
        guard arguments.occurrences.contains(where: { $0.option.attribute != nil && $0.option.kind != .flag })
        else {
            throw .usage("an attribute of the item is required")
        }
        let filter = try arguments.attributes(of: itemClass, step: Self.step).filter
        let deleted = try Keychains.first(arguments.operands, arguments, filter) { () throws(Failure) in
            try delete(filter)
        }
        guard !arguments.has("json") else {
            return try arguments.reportChange(.deleted, of: itemClass, deleted)
        }
        Console.say("password has been deleted.\n")
    }

    /// Deletes the item; prints its attributes unless it is locked or `--json` is given.
    ///
    /// - Returns: The attributes of the item; for a locked item, those in the filter.
    private func delete(_ filter: ItemFilter) throws(Failure) -> Attributes {
        let state = ContextState()
        state.interactionNotAllowed = true
        let search = CopyRequest(filter: filter, returning: [.attributes, .persistentReference])
        do throws(Failure) {
            let found = try KeychainCalls.perform(.copy(search), state, step: "SecKeychainSearchCopyNext")
            guard let item = found.first else { throw .status(.invalidItemReference, step: Self.step) }
            if !arguments.has("json") {
                try Console.write(ListedItem(found: item).block(keychain: KeychainCalls.directory()))
            }
            let reference = ItemFilter(itemClass: itemClass, reference: item.reference)
            try KeychainCalls.perform(.delete(DeleteRequest(filter: reference)), state, step: Self.step)
            return item.attributes
        } catch {
            // Deletion needs no key and no authentication; a locked item is deleted without being printed.
            guard case .status(let status, let step, _) = error, step != Self.step,
                [.interactionNotAllowed, .authenticationFailed].contains(status)
            else { throw error }
            var request = DeleteRequest(filter: filter)
            request.limit = .one
            try KeychainCalls.perform(.delete(request), state, step: Self.step)
            return filter.attributes
        }
    }
}
