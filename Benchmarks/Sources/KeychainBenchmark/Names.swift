// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The accounts of a store, in Swift's and in C's form, so that no contender pays for making them.
final class Names {
    let accounts: [String]
    let pointers: [UnsafePointer<CChar>]
    let service: UnsafePointer<CChar>
    private let copies: [UnsafeMutablePointer<CChar>]

    init(_ count: Int) {
        accounts = (0..<count).map(Subject.account)
        copies = (accounts + [Subject.service]).map { name in
            guard let copy = strdup(name) else { preconditionFailure("out of memory") }
            return copy
        }
        pointers = copies.map { UnsafePointer($0) }
        service = UnsafePointer(copies[count])
    }

    deinit { for copy in copies { free(copy) } }

    /// The place of a name that is far from the one before.
    func place(_ number: Int) -> Int { number &* 7_919 % accounts.count }
}
