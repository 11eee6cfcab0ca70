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
        var result = try use { keychain throws(StatusError) in try keychain.verifyRows { _, _ in true } }
        guard !caller.reachesEveryGroup else { return result }
        for index in result.damages.indices {
            if let group = result.damages[index].group, !caller.accessGroups.contains(group) {
                result.damages[index].group = nil
            }
        }
        return result
    }
}
