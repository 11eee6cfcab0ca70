// SPDX-License-Identifier: Apache-2.0

import PrivateFiles
import Synchronization

/// The index of a log, `-shm`, as the connections of this process have it.
///
/// SQLite lets all connections of a process to one database share what the first of them mapped, whatever the file's
/// name leads to when the next one opens. So the file that counts is the first one's, as long as a connection is open.
final class SharedIndex: Sendable {
    private struct Users: Sendable {
        var count = 0
        /// The file; `nil` until the first connection has met it.
        var file: FileIdentity?
    }

    private static let users = Mutex<[FileIdentity: Users]>([:])

    private let database: FileIdentity

    /// To be made before the connection opens the database, and to be held until it is closed.
    init(of database: FileIdentity) {
        self.database = database
        Self.users.withLock { $0[database, default: Users()].count += 1 }
    }

    deinit {
        Self.users.withLock { users in
            users[database]?.count -= 1
            if users[database]?.count == 0 { users[database] = nil }
        }
    }

    /// The file that the connection has, given the one that the name leads to now.
    func file(named: FileIdentity) -> FileIdentity {
        Self.users.withLock { users in
            let file = users[database]?.file ?? named
            users[database]?.file = file
            return file
        }
    }
}
