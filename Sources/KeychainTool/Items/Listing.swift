// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The searches of one command for all items of a kind in one keychain, with one authentication.
final class Listing {
    /// How a listing treats items that are locked or that their access control keeps closed.
    enum Gaps {
        /// Lists the other items; ``finish()`` reports the omission.
        case told
        /// Fails, because an incomplete result would mislead.
        case refused
    }

    private let context: LAContext
    private let gaps: Gaps
    /// Why items were left out; `nil` if the result is complete.
    private(set) var withheld: Failure?

    init(_ gaps: Gaps, _ context: LAContext = LAContext()) {
        self.gaps = gaps
        self.context = context
    }

    /// All items that match a query, synchronizable or not.
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
            // A user who cancelled or does not know the passcode is not asked again for the next class.
            context.interactionNotAllowed = true
            return others
        }
    }

    /// Ends the command with the reason if items were withheld.
    func finish() throws(Failure) {
        guard let withheld else { return }
        Console.complain("items that are locked or under access control are not shown")
        throw withheld
    }

    /// All items without an access control; if the keychain is locked, those of each class that is unlocked.
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
