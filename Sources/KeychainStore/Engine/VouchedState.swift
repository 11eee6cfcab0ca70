// SPDX-License-Identifier: Apache-2.0

/// The numbers of the pages beside the items.
enum PageNumber {
    static let header: Int64 = 0
    static let keybag: Int64 = 1
    static let lock: Int64 = 2
    /// The public key of access control, where a passcode is set.
    static let recipient: Int64 = 3
    static let firstBuckets: Int64 = 16
}

/// What the header vouches for, as far as it has been read: all of it belongs to one generation.
struct VouchedState: Sendable {
    var header: StoreHeader
    var keybag: Keybag
    /// What goes with a passcode; `nil` where none is set.
    var lock: LockPage?
    /// The pages of the set hash that were read, by number.
    var buckets: [BucketPage?] = Array(repeating: nil, count: BucketPage.count)
    /// The sum with which the rows of a bucket were last found to agree.
    var verified: [UInt8: SetSum] = [:]
    /// The contents that this state was read from; `nil` forces it to be read again.
    var contentVersion: UInt32?
}
