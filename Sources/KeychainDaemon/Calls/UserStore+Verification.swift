// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

extension UserStore {
    func itemCount(in groups: [String]) throws(StatusError) -> UInt64 {
        try use { keychain throws(StatusError) in try keychain.itemCount(in: groups) }
    }

    /// Checks every row of the store, as `security verify` does without a daemon.
    ///
    /// The damage is reported for all rows, but other programs' access groups are not named.
    func verification(for caller: Caller) throws(StatusError) -> StoreVerification {
        try use { keychain throws(StatusError) in try keychain.verifyRows { _, _ in true } }.shown(to: caller)
    }
}

extension StoreVerification {
    /// The same result without the names of access groups that the caller does not have.
    func shown(to caller: Caller) -> Self {
        guard !caller.reachesEveryGroup else { return self }
        var result = self
        for index in result.damages.indices {
            if let group = result.damages[index].group, !caller.accessGroups.contains(group) {
                result.damages[index].group = nil
            }
        }
        return result
    }
}
