// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Testing

/// A second connection to a database, which keeps a read transaction open.
@safe
final class HeldReader {
    private var connection: OpaquePointer?

    init(of path: String) throws {
        let opened = unsafe sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil)
        try #require(opened == SQLITE_OK)
        try #require(
            unsafe sqlite3_exec(connection, "BEGIN; SELECT count(*) FROM page", nil, nil, nil) == SQLITE_OK
        )
    }

    func end() {
        unsafe sqlite3_close(connection)
        unsafe connection = nil
    }

    deinit { unsafe sqlite3_close(connection) }
}
