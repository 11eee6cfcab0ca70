// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The searches of one command for everything of a kind in one keychain: what is proved for one counts for all.
final class Listing {
    /// What becomes of a listing of which some items are locked, or do not open under their access control.
    enum Gaps {
        /// The other items are listed; ``finish()`` says that it is so.
        case told
        /// It fails: what is not whole would mislead.
        case refused
    }

    private let context: LAContext
    private let gaps: Gaps
    /// Why items are not among what was found; `nil` where all are.
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
            withheld = withheld ?? error
            query[kSecUseAuthenticationUI] = NSString(string: kSecUseAuthenticationUISkip as String)
            let others = try openResults(query)
            // Whoever said no, or does not know the passcode, is not asked about the next class.
            context.interactionNotAllowed = true
            return others
        }
    }

    /// Ends the command with the reason if items were withheld.
    func finish() throws(Failure) {
        guard let withheld else { return }
        Console.complain("items that are locked, or under access control, are not shown")
        throw withheld
    }

    /// Everything without an access control; of a locked keychain, class by class, what is open.
    private func openResults(_ query: ItemDictionary) throws(Failure) -> [AnyObject] {
        do throws(Failure) {
            return try results(query)
        } catch {
            guard Self.isWithheld(error) else { throw error }
        }
        var (query, found) = (query, [] as [AnyObject])
        for protectionClass in ToolOption.protectionClasses {
            query[kSecAttrAccessible] = NSString(string: protectionClass)
            do throws(Failure) {
                found += try results(query)
            } catch {
                guard Self.isWithheld(error) else { throw error }
            }
        }
        return found
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
