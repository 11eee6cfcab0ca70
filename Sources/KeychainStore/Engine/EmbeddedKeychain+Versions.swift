// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension EmbeddedKeychain {
    /// Returns the version of every item in the given access groups, without decrypting; `nil` selects all
    /// groups.
    package func versions(in groups: [String]?) throws(StatusError) -> [ItemVersion] {
        try read { session throws(StatusError) in
            try session.checkFilesUnreplaced()
            return try session.rows.read { () throws(StatusError) in
                guard let groups else { return try session.versions(.all, accessGroup: nil) }
                var versions: [ItemVersion] = []
                for group in groups {
                    let digest = session.digest(ofGroup: group)
                    for itemClass in ItemClass.allCases where itemClass.isStored {
                        versions += try session.versions(.group(digest, itemClass), accessGroup: group)
                    }
                }
                return versions
            }
        }
    }
}

extension ReadSession {
    fileprivate func versions(
        _ selection: RowSelection,
        accessGroup: String?
    ) throws(StatusError) -> [ItemVersion] {
        var versions: [ItemVersion] = []
        try rows.forEachRow(selection, secrets: false) { stored throws(StatusError) in
            let columns = stored.row.columns
            guard !columns.tombstone else { return true }
            versions.append(
                ItemVersion(
                    reference: PersistentReference(itemClass: columns.itemClass, item: columns.item),
                    accessGroup: accessGroup,
                    version: columns.version
                )
            )
            return true
        }
        return versions
    }
}
