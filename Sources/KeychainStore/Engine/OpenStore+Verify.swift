// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Makes sure that what is missing was never there: the rows of a bucket must add up to the sum that is vouched for.
extension OpenStore {
    /// Verifies the bucket of an identity, unless it was verified and has not changed since.
    ///
    /// - Throws: `undecodable` with `setHashMismatch` where rows were added, removed or put back behind our back.
    mutating func verifyBucket(of identity: Bytes32) throws(StatusError) {
        try verify(identity.leadingByte)
    }

    /// Verifies every bucket that has changed since it was last verified.
    mutating func verifyAllBuckets() throws(StatusError) {
        for bucket in UInt8.min...UInt8.max { try verify(bucket) }
    }

    private mutating func verify(_ bucket: UInt8) throws(StatusError) {
        let expected = try sum(of: bucket)
        guard vouched.verified[bucket] != expected else { return }
        guard try presentSum(of: bucket) == expected else {
            throw StatusError(.undecodable, .setHashMismatch)
        }
        vouched.verified[bucket] = expected
    }

    /// What the rows of a bucket add up to.
    func presentSum(of bucket: UInt8) throws(StatusError) -> SetSum {
        var sum = SetSum.zero
        try items.forEachRow(.bucket(bucket), secrets: false) { stored throws(StatusError) in
            sum += keys.setHash(of: stored.row)
            return true
        }
        return sum
    }

    /// What the tombstones of the store add up to.
    func presentTombstoneSum() throws(StatusError) -> SetSum {
        var sum = SetSum.zero
        for bucket in UInt8.min...UInt8.max {
            try items.forEachRow(.bucket(bucket), secrets: false) { stored throws(StatusError) in
                if stored.row.columns.tombstone { sum += keys.setHash(of: stored.row) }
                return true
            }
        }
        return sum
    }
}
