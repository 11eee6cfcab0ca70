// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The searches of one command for everything of a kind: what is proved for one counts for all.
final class Listing {
    /// What becomes of a listing whose items under access control do not open.
    enum Gaps {
        /// The other items are listed; ``finish()`` says that it is so.
        case told
        /// It fails: what is not whole would mislead.
        case refused
    }

    private let context: LAContext
    private let gaps: Gaps
    /// Why the items under access control are not among what was found; `nil` where they are.
    private(set) var withheld: Failure?

    init(_ gaps: Gaps, _ context: LAContext = LAContext()) {
        self.gaps = gaps
        self.context = context
    }

    /// Everything that agrees with a query, synchronizing or not.
    func find(_ query: ItemDictionary) throws(Failure) -> [AnyObject] {
        var query = query
        query[kSecMatchLimit] = kSecMatchLimitAll
        query[kSecAttrSynchronizable] = kSecAttrSynchronizableAny
        query[kSecUseAuthenticationContext] = context
        do throws(Failure) {
            return try results(query)
        } catch {
            guard gaps == .told, Self.isWithheld(error) else { throw error }
            query[kSecUseAuthenticationUI] = NSString(string: kSecUseAuthenticationUISkip as String)
            let others = try results(query)
            withheld = withheld ?? error
            // Whoever said no, or does not know the passcode, is not asked about the next class.
            context.interactionNotAllowed = true
            return others
        }
    }

    /// Ends the command with the reason if items were withheld.
    func finish() throws(Failure) {
        guard let withheld else { return }
        Console.complain("items under access control are not shown")
        throw withheld
    }

    private static func isWithheld(_ failure: Failure) -> Bool {
        guard case .status(let status, _, _) = failure else { return false }
        return [errSecInteractionNotAllowed, errSecAuthFailed, errSecUserCanceled].contains(status)
    }

    private func results(_ query: ItemDictionary) throws(Failure) -> [AnyObject] {
        do throws(Failure) {
            return try KeychainCalls.find(query) as? [AnyObject] ?? []
        } catch .status(errSecItemNotFound, _, _) {
            return []
        }
    }
}
