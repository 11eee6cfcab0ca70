// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainControl
import KeychainModel
import KeychainServices

/// What the command says about access groups: what a program stores, programs without its group do not find.
enum AccessGroups {
    /// The groups of this program, the default one first.
    static func own(_ step: String) throws(Failure) -> [String] {
        try KeychainCalls.failing(step) { () throws(StatusError) in try SystemKeychain.caller().accessGroups }
    }

    /// The groups of other programs in which `find`, run with every group, finds something.
    static func foreign(_ find: () throws(Failure) -> [[String: Any]]) -> [String] {
        guard let own = try? SystemKeychain.caller().accessGroups,
            let found = try? SystemKeychain.withEveryGroup({ (try? find()) ?? [] })
        else { return [] }
        let groups = Set(found.compactMap { $0[kSecAttrAccessGroup as String] as? String })
        return groups.subtracting(own).sorted()
    }

    /// The same for what a query of one class would find; nobody is asked for an authentication.
    static func foreign(_ query: ItemDictionary) -> [String] {
        foreign { () throws(Failure) in
            let context = LAContext()
            context.interactionNotAllowed = true
            var query = query
            query[kSecAttrAccessGroup] = nil
            query[kSecReturnData] = nil
            query[kSecReturnAttributes] = kCFBooleanTrue
            query[kSecMatchLimit] = NSNumber(value: 16)
            query[kSecUseAuthenticationContext] = context
            return try KeychainCalls.find(query) as? [[String: Any]] ?? []
        }
    }

    /// Where an item is that was not found; `nil` where no group has it.
    private static func place(_ groups: [String]) -> String? {
        guard !groups.isEmpty else { return nil }
        let names = groups.map { "\"\(BlobText.line($0))\"" }.joined(separator: ", ")
        let place = groups.count == 1 ? "the access group \(names)" : "the access groups \(names)"
        return "an item that matches is in \(place), which this program does not have; \(remedy)"
    }

    /// The failure of a search that found nothing, with the groups of other programs in which there is something.
    static func missed(_ groups: [String], step: String = "SecKeychainSearchCopyNext") -> Failure {
        guard let place = place(groups) else {
            let reason = KeychainControl.lastFailure
            return .status(
                errSecItemNotFound,
                step: step,
                reason: reason?.isMissingStore == true ? reason : nil
            )
        }
        return .store(errSecItemNotFound, step: step, detail: place)
    }

    /// Says the same where it is no failure to find nothing.
    static func tell(of groups: [String]) {
        if let place = place(groups) { Console.complain(place) }
    }

    /// Says of a missing entitlement which group it is about.
    static func explained(_ failure: Failure, _ arguments: ScannedArguments) -> Failure {
        guard case .status(errSecMissingEntitlement, let step, _) = failure,
            let own = try? SystemKeychain.caller().accessGroups
        else { return failure }
        guard !own.isEmpty else {
            return .store(
                errSecMissingEntitlement,
                step: step,
                detail: "this program has no access group; \(remedy)"
            )
        }
        guard let named = arguments.value("access-group"), !own.contains(named) else { return failure }
        let groups = own.map { "\"\(BlobText.line($0))\"" }.joined(separator: ", ")
        return .store(
            errSecMissingEntitlement,
            step: step,
            detail:
                "the access group \"\(BlobText.line(named))\" is not among this program's, \(groups); \(remedy)"
        )
    }

    private static let remedy =
        "the property list that KEYCHAIN_ENTITLEMENTS names can list it under keychain-access-groups"
}
