// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import Synchronization

extension EmbeddedKeychain {
    /// The number of items in the given access groups; decrypts no item.
    package func itemCount(in groups: [String]) throws(StatusError) -> UInt64 {
        try state.withLock { store throws(StatusError) in
            var count: UInt64 = 0
            let digests = groups.map { store.digest(ofGroup: $0) }
            try store.items.read { () throws(StatusError) in
                for group in digests {
                    for itemClass in ItemClass.allCases where itemClass.isStored {
                        try store.items.forEachRow(.group(group, itemClass), secrets: false) { row in
                            if !row.row.columns.tombstone { count += 1 }
                            return true
                        }
                    }
                }
            }
            return count
        }
    }
}
