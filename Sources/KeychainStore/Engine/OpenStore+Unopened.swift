// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The digests of a row that cannot be decrypted: one for each searchable attribute, and one of all unique attributes.
extension OpenStore {
    /// Whether a row that cannot be decrypted matches, given matching digests; `nil` if they do not decide.
    func isMeant(unopened columns: ItemColumns, _ test: ItemTest, byIdentity: Bool) -> Bool? {
        let itemClass = columns.itemClass
        let required = entries(of: test.searchable, itemClass, in: columns.accessGroup)
        let schema = ItemSchema.of(itemClass)
        if test.isDecided(byDigestsOf: required, identity: byIdentity) { return true }
        guard itemClass == .key, test.isDecided(byDigestsOf: required, identity: true) else { return nil }
        // Nobody names all unique attributes of a key, but the others have few values.
        let guess = KeyGuess(test.filter.attributes).candidates.first { candidate in
            columns.identity
                == keys.index.identity(
                    of: itemClass,
                    candidate,
                    in: columns.accessGroup,
                    synchronizable: columns.synchronizable
                )
        }
        guard let guess else { return nil }
        return test.filter.attributes.entries.allSatisfy { entry in
            guard let rule = schema[entry.attribute], let value = guess[entry.attribute] else { return true }
            return rule.kind.equal(value, entry.value)
        }
    }

    /// The digests that the values of searchable attributes have in an access group.
    func entries(
        of values: [(rule: AttributeRule, value: AttributeValue)],
        _ itemClass: ItemClass,
        in group: Bytes16
    ) -> [IndexEntries.Entry] {
        values.map { rule, value in
            IndexEntries.Entry(
                attribute: rule.attribute,
                digest: keys.index.attribute(rule, value, of: itemClass, in: group)
            )
        }
    }
}
