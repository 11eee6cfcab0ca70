// SPDX-License-Identifier: Apache-2.0

/// The schema of the database; `Documentation/FileFormat.md` describes it byte by byte.
enum Schema {
    /// SQLite's `application_id` of keychains, `LKC1`, which distinguishes them from other databases.
    static let applicationID = 0x4C4B_4331
    /// The major version of the format, stored as SQLite's `user_version`.
    static let version = 4

    /// The statements that create the schema, compared literally when a database is opened.
    static let statements = [
        "CREATE TABLE page (id INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT",
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, tag BLOB NOT NULL, identity BLOB NOT NULL UNIQUE, \
        version INTEGER NOT NULL, flags INTEGER NOT NULL, digests BLOB NOT NULL, attributes BLOB NOT NULL, \
        secret BLOB) STRICT
        """,
        """
        CREATE TABLE item_index (digest BLOB NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (digest, item)) \
        STRICT, WITHOUT ROWID
        """,
    ]
}

/// The statements that are prepared once and reused.
enum SQL: Int, CaseIterable {
    case begin, beginImmediate, commit, rollback
    case pageRead, pageWrite, pageDelete, pagesInRange
    case pageCount, freePages
    case valueByIdentity
    case itemByIdentity, itemByNumber, itemsByDigest, numbersByDigest, itemsByIdentityRange,
        itemsOfIdentityRange,
        itemsByProtection
    case itemByRowNumber, rowNumbers, rowNumbersDescending, rowNumbersByParity, indexEntry
    case lastNumber, nextIdentity, memberNumbers, rowCount, itemCount
    case synchronizable
    case itemInsert, itemUpdate, itemReseal, itemDelete
    case indexInsert, indexDelete

    /// Selects the columns of a row; the encrypted value is NULL if parameter 1 is 0.
    private static let row = """
        SELECT id, tag, identity, version, flags, digests, attributes, iif(?1, secret, NULL) FROM item
        """

    /// Sets the columns that every change of a row writes.
    private static let content = """
        version = ?4, flags = ?5, digests = ?6, attributes = ?7, secret = ?8 WHERE id = ?1
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
        case .pagesInRange: "SELECT id, content FROM page WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
        case .pageCount: "PRAGMA page_count"
        case .freePages: "PRAGMA freelist_count"
        case .valueByIdentity:
            "SELECT id, tag, version, flags, secret FROM item WHERE identity = ?1"
        case .itemByIdentity: Self.row + " WHERE identity = ?2"
        case .itemByNumber: Self.row + " WHERE id = ?2 AND tag = ?3"
        case .itemsByDigest: Self.row + " JOIN item_index ON id = item_index.item WHERE digest = ?2"
        case .numbersByDigest: "SELECT item FROM item_index WHERE digest = ?1"
        // Sort by row number, which is the order of insertion.
        case .itemsByIdentityRange:
            Self.row + " WHERE id IN (SELECT id FROM item WHERE identity BETWEEN ?2 AND ?3) ORDER BY id"
        // Do not sort the rows: reading them in the order of the index is faster.
        case .itemsOfIdentityRange: Self.row + " WHERE identity BETWEEN ?2 AND ?3"
        case .itemsByProtection: Self.row + " WHERE flags & 15 = ?2"
        case .itemByRowNumber: Self.row + " WHERE id = ?2"
        case .rowNumbers: "SELECT id FROM item NOT INDEXED ORDER BY id"
        case .rowNumbersDescending: "SELECT id FROM item NOT INDEXED ORDER BY id DESC"
        case .rowNumbersByParity: "SELECT id FROM item NOT INDEXED WHERE flags & 64 = ?1 ORDER BY id LIMIT ?2"
        case .indexEntry: "SELECT 1 FROM item_index WHERE digest = ?1 AND item = ?2"
        case .lastNumber: "SELECT max(id) FROM item"
        case .nextIdentity: "SELECT identity FROM item WHERE identity > ?1 ORDER BY identity LIMIT 1"
        // Read the table itself, for comparison with the index.
        case .memberNumbers: "SELECT id FROM item NOT INDEXED WHERE substr(identity, 1, 9) = ?1"
        case .rowCount: "SELECT count(*) FROM item"
        case .itemCount: "SELECT count(*) FROM item WHERE identity BETWEEN ?1 AND ?2 AND flags & 32 = 0"
        case .synchronizable: "SELECT id, tag, identity, version, flags FROM item WHERE flags & 16"
        case .itemInsert: "INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        case .itemUpdate: "UPDATE item SET identity = ?3, " + Self.content
        // Do not set `identity`: SQLite would write its index even if the value is unchanged.
        case .itemReseal: "UPDATE item SET " + Self.content
        case .itemDelete: "DELETE FROM item WHERE id = ?1"
        case .indexInsert: "INSERT INTO item_index VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        case .indexDelete: "DELETE FROM item_index WHERE digest = ?1 AND item = ?2"
        }
    }
}
