// SPDX-License-Identifier: Apache-2.0

/// The items that a program sees: those of its groups, or of all programs.
struct OwnerScope: Hashable {
    /// The program's access groups; new items get the first.
    let owners: [String]
    let seesAll: Bool

    var owner: String { owners[0] }

    /// Returns whether the program sees objects of an owner (an access group); all programs see objects without one.
    func sees(_ owner: String) -> Bool {
        seesAll || owner.isEmpty || owners.contains { $0.utf8.elementsEqual(owner.utf8) }
    }
}
