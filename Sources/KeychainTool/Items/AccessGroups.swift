// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainUserPresence

/// Explains that a missing item is in another program's access group, or that this program lacks a group.
enum AccessGroups {
    /// The access groups of this program, the default one first.
    static func own(_ step: String) throws(Failure) -> [String] {
        try KeychainCalls.failing(step) { () throws(StatusError) in try SystemKeychain.caller().accessGroups }
    }

    /// Calls `find` with access to all groups; returns the found groups that this program is not in.
    static func foreign(_ find: () throws(Failure) -> [String]) -> [String] {
        guard let own = try? SystemKeychain.caller().accessGroups,
            let found = try? SystemKeychain.withEveryGroup({ (try? find()) ?? [] })
        else { return [] }
        return Set(found).subtracting(own).sorted()
    }

    /// Returns the groups of other programs that have one of the first 16 matching items; non-interactive.
    static func foreign(_ filter: ItemFilter) -> [String] {
        foreign { () throws(Failure) in
            let state = ContextState()
            state.interactionNotAllowed = true
            var filter = filter
            filter.attributes[.accessGroup] = nil
            let request = CopyRequest(filter: filter, limit: .atMost(16), returning: .attributes)
            let found = try KeychainCalls.perform(.copy(request), state, step: "")
            return found.compactMap { item in
                guard case .string(let group) = item.attributes[.accessGroup] else { return nil }
                return group
            }
        }
    }

    /// A sentence that names the groups of other programs that have the missing item; `nil` without such groups.
    private static func owners(_ groups: [String]) -> String? {
        guard !groups.isEmpty else { return nil }
        let names = groups.map { "\"\(BlobText.line($0))\"" }.joined(separator: ", ")
        let words = groups.count == 1 ? "the access group \(names)" : "the access groups \(names)"
        return "a matching item is in \(words), which this program does not have; \(remedy)"
    }

    /// The failure of a search without results; names the groups of other programs that have matching items.
    static func missed(_ groups: [String], step: String = "SecKeychainSearchCopyNext") -> Failure {
        guard let owners = owners(groups) else {
            let reason = FailureLog.last
            return .status(
                .itemNotFound,
                step: step,
                reason: reason?.reason == .storeMissing ? reason : nil
            )
        }
        return .store(.itemNotFound, step: step, detail: owners)
    }

    /// Prints the groups of other programs that have matching items, if there are any.
    static func tell(of groups: [String]) {
        if let owners = owners(groups) { Console.complain(owners) }
    }

    /// Explains a missing entitlement: the program has no access group, or not the one that `--access-group` names.
    ///
    /// Returns all other failures unchanged.
    static func explained(_ failure: Failure, _ arguments: ScannedArguments) -> Failure {
        guard case .status(.missingEntitlement, let step, _) = failure,
            let own = try? SystemKeychain.caller().accessGroups
        else { return failure }
        guard !own.isEmpty else {
            return .store(
                .missingEntitlement,
                step: step,
                detail: "this program has no access group; \(remedy)"
            )
        }
        guard let named = arguments.value("access-group"), !own.contains(named) else { return failure }
        let groups = own.map { "\"\(BlobText.line($0))\"" }.joined(separator: ", ")
        return .store(
            .missingEntitlement,
            step: step,
            detail:
                "the access group \"\(BlobText.line(named))\" is not among this program's, \(groups); \(remedy)"
        )
    }

    private static let remedy =
        "list it under keychain-access-groups in the property list that KEYCHAIN_ENTITLEMENTS names"
}
