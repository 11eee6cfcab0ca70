// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// Lists the items of one keychain, and reuses the user's authentication for all item classes.
final class Listing {
    /// How to handle items that are locked or require authentication.
    enum UnreadableItems {
        /// Lists only the readable items; ``finish()`` reports that items were omitted.
        case omitted
        /// Fails if an item cannot be read: an incomplete list would mislead.
        case refused
    }

    private let state: ContextState
    private let unreadable: UnreadableItems
    /// The first error that caused items to be left out; `nil` if no item was left out.
    private(set) var withheld: Failure?

    init(_ unreadable: UnreadableItems, _ state: ContextState = ContextState()) {
        self.unreadable = unreadable
        self.state = state
    }

    /// Returns all passwords of a class, synchronizable or not.
    func passwords(_ itemClass: ItemClass, withData: Bool) throws(Failure) -> [ListedItem] {
        let filter = ItemFilter(itemClass: itemClass, synchronizable: .any)
        let returning: ReturnKeys = withData ? [.attributes, .data] : .attributes
        var request = CopyRequest(filter: filter, limit: .all, returning: returning)
        return try collect { skipsConstrained, protectionClass throws(Failure) in
            request.skipsConstrained = skipsConstrained
            request.filter.attributes[.accessible] = protectionClass.map { .string($0) }
            return try KeychainCalls.perform(.copy(request), state, step: Self.step)
                .map(ListedItem.init)
        }
    }

    /// Returns all matching keys, certificates or identities that pass the test, synchronizable or not.
    func objects(
        _ itemClass: ItemClass,
        with attributes: Attributes,
        passing test: CertificateTest,
        withData: Bool = true
    ) throws(Failure) -> [StoredObject] {
        try KeychainCalls.recording(Self.step) { () throws(StatusError) in try ObjectsTrait.check() }
        return try collect { skipsConstrained, protectionClass throws(Failure) in
            var filter = ItemFilter(itemClass: itemClass, attributes: attributes, synchronizable: .any)
            if let protectionClass { filter.attributes[.accessible] = .string(protectionClass) }
            let request = Self.request(filter, skipsConstrained, withData)
            return try KeychainCalls.search(request, state, passing: test, step: Self.step)
                .map { StoredObject($0) }
        }
    }

    private static let step = "SecKeychainSearchCopyNext"

    private static func request(_ filter: ItemFilter, _ skipsConstrained: Bool, _ withData: Bool) -> Request {
        let returning: ReturnKeys =
            withData ? [.attributes, .reference, .persistentReference] : [.attributes, .persistentReference]
        guard filter.itemClass == .identity else {
            var request = CopyRequest(filter: filter, limit: .all, returning: returning)
            request.skipsConstrained = skipsConstrained
            return .copy(request)
        }
        let halves = IdentityFilter(dividing: filter)
        var request = CopyIdentitiesRequest(filter: halves, limit: .all, returning: returning)
        request.skipsConstrained = skipsConstrained
        return .copyIdentities(request)
    }

    /// If items were left out, prints a message about them and throws ``withheld``.
    func finish() throws(Failure) {
        guard let withheld else { return }
        Console.complain("items that are locked or under access control are not shown")
        throw withheld
    }

    private typealias Search<Item> = (_ skipsConstrained: Bool, _ protectionClass: String?) throws(Failure) ->
        [Item]

    /// Returns the results of a search; with ``UnreadableItems/omitted``, leaves out items that cannot be read.
    private func collect<Item>(_ search: Search<Item>) throws(Failure) -> [Item] {
        do throws(Failure) {
            return try Self.results { () throws(Failure) in try search(false, nil) }
        } catch {
            guard unreadable == .omitted, Self.isWithheld(error) else { throw error }
            withheld = withheld ?? error
            let others = try open(search)
            // Search the next class non-interactively if the user has cancelled or failed the authentication.
            if !error.isInteractionNotAllowed { state.interactionNotAllowed = true }
            return others
        }
    }

    /// The items that are unlocked and have no access control.
    private func open<Item>(_ search: Search<Item>) throws(Failure) -> [Item] {
        do throws(Failure) {
            return try Self.results { () throws(Failure) in try search(true, nil) }
        } catch {
            guard Self.isWithheld(error) else { throw error }
        }
        var found: [Item] = []
        for protectionClass in ToolOption.protectionClasses {
            do throws(Failure) {
                found += try Self.results { () throws(Failure) in try search(true, protectionClass) }
            } catch {
                guard Self.isWithheld(error) else { throw error }
            }
        }
        return found
    }

    /// Whether an item cannot be read because it is locked, or because the user was not authenticated for it.
    private static func isWithheld(_ failure: Failure) -> Bool {
        guard case .status(let status, _, _) = failure else { return false }
        return [Status.interactionNotAllowed, .authenticationFailed, .userCanceled].contains(status)
    }

    private static func results<Item>(_ search: () throws(Failure) -> [Item]) throws(Failure) -> [Item] {
        do throws(Failure) {
            return try search()
        } catch .status(.itemNotFound, _, _) {
            return []
        }
    }
}

extension Failure {
    /// Whether items are locked, or the user cannot be asked.
    fileprivate var isInteractionNotAllowed: Bool {
        if case .status(.interactionNotAllowed, _, _) = self { true } else { false }
    }
}
