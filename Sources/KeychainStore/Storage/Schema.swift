// SPDX-License-Identifier: Apache-2.0

/// What stands in the database file; `Documentation/FileFormat.md` describes it byte by byte.
enum Schema {
    /// `LKC1`: what tells a keychain from any other SQLite database.
    static let applicationID = 0x4C4B_4331
    /// The major version of the format, as SQLite's `user_version`.
    static let version = 2

    /// The statements that make the schema, compared to the letter when a database is opened.
    static let statements = [
        "CREATE TABLE page (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT",
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, class INTEGER NOT NULL, \
        version INTEGER NOT NULL, access_group BLOB NOT NULL, protection INTEGER NOT NULL, \
        synchronizable INTEGER NOT NULL, tombstone INTEGER NOT NULL, identity BLOB NOT NULL UNIQUE, \
        digests BLOB NOT NULL, attributes BLOB NOT NULL, secret BLOB) STRICT
        """,
        """
        CREATE TABLE item_index (attribute INTEGER NOT NULL, digest BLOB NOT NULL, item INTEGER NOT NULL, \
        PRIMARY KEY (attribute, digest, item)) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX item_group ON item (access_group, class)",
    ]
}

/// The statements that are prepared once and kept.
enum SQL: Int, CaseIterable {
    case begin, beginImmediate, commit, rollback
    case pageRead, pageWrite, pageDelete
    case pageCount, freePages
    case itemByIdentity, itemByUUID, itemsByIndex, itemsByGroup, itemsByIdentityRange, itemsByProtection,
        nextGroup, rowCount,
        memberNumbers
    case itemInsert, itemUpdate, itemReseal, itemDelete
    case indexInsert, indexDelete

    /// The columns of a row; the value is read only where parameter 1 is not 0.
    private static let row = """
        SELECT id, uuid, class, version, access_group, protection, synchronizable, tombstone, identity, digests, \
        attributes, iif(?1, secret, NULL) FROM item
        """

    var text: String {
        switch self {
        case .begin: "BEGIN"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .pageRead: "SELECT content FROM page WHERE id = ?1"
        case .pageWrite: "INSERT INTO page VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET content = ?2"
        case .pageDelete: "DELETE FROM page WHERE id = ?1"
        case .pageCount: "PRAGMA page_count"
        case .freePages: "PRAGMA freelist_count"
        case .itemByIdentity: Self.row + " WHERE identity = ?2"
        case .itemByUUID: Self.row + " WHERE uuid = ?2"
        case .itemsByIndex:
            Self.row + " JOIN item_index ON id = item_index.item WHERE attribute = ?2 AND digest = ?3"
        case .itemsByGroup: Self.row + " WHERE access_group = ?2 AND class = ?3"
        case .itemsByIdentityRange: Self.row + " WHERE identity BETWEEN ?2 AND ?3"
        case .itemsByProtection: Self.row + " WHERE protection = ?2"
        case .nextGroup: "SELECT access_group FROM item WHERE access_group > ?1 ORDER BY access_group LIMIT 1"
        case .rowCount: "SELECT count(*) FROM item"
        // From the table itself, to hold the index to.
        case .memberNumbers:
            "SELECT id FROM item NOT INDEXED WHERE class = ?1 AND ifnull(access_group = ?2, TRUE)"
        case .itemInsert: "INSERT INTO item VALUES (NULL, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        case .itemUpdate:
            """
            UPDATE item SET version = ?4, access_group = ?5, protection = ?6, synchronizable = ?7, \
            tombstone = ?8, identity = ?9, digests = ?10, attributes = ?11, secret = ?12 WHERE id = ?1
            """
        // To set an indexed column, even to what it is, is to write its index.
        case .itemReseal:
            """
            UPDATE item SET version = ?4, protection = ?6, tombstone = ?8, digests = ?10, attributes = ?11, \
            secret = ?12 WHERE id = ?1
            """
        case .itemDelete: "DELETE FROM item WHERE id = ?1"
        case .indexInsert: "INSERT INTO item_index VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING"
        case .indexDelete: "DELETE FROM item_index WHERE attribute = ?1 AND digest = ?2 AND item = ?3"
        }
    }
}
