// SPDX-License-Identifier: Apache-2.0

/// The items that a program sees: those of its groups, or of all programs.
struct OwnerScope: Hashable {
    /// The program's access groups; new items get the first.
    let owners: [String]
    let seesAll: Bool
    /// Whether the program sees the items that were imported from another Secret Service.
    let seesImported: Bool

    /// The owner of imported items, until a program stores them again or sets their secret; it cannot be an access group of a program.
    static let imported = "imported"

    var owner: String { owners[0] }

    /// Returns whether the program sees objects of an owner (an access group); all programs see objects without one.
    func sees(_ owner: String) -> Bool {
        seesAll || owner.isEmpty || (seesImported && owner == Self.imported)
            || owners.contains { $0.utf8.elementsEqual(owner.utf8) }
    }
}
