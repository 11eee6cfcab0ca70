// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Tracks which WAL index file (`-shm`) this process's connections to a database have mapped.
///
/// SQLite shares the first mapping among all connections of a process to a database, even if the file is
/// replaced before the next connection opens. Writes through a mapping of a replaced file are lost.
final class SharedIndex: Sendable {
    /// The connections to one database, and the next element of the list of databases.
    ///
    /// This is a list of objects, because the first use of an array or dictionary type is slow.
    private final class Users {
        /// The device and inode of the database; `nil` once its last connection was closed, when this object can be
        /// reused for another database.
        var database: FileIdentity?
        var count = 0
        /// The mapped index file; `nil` until the first connection has opened it.
        var file: FileIdentity?
        let next: Users?

        init(before next: Users?) { self.next = next }

        /// Returns this element or the next one with the given database; `nil` if there is none.
        func first(of database: FileIdentity?) -> Users? {
            var users: Users? = self
            while let current = users, current.database != database { users = current.next }
            return users
        }
    }

    /// The databases to which this process has connections.
    private static let users = ForkSafeMutex<Users?>(nil)

    static let name = StoreLocation.databaseName + "-shm"

    private let database: FileIdentity

    /// Registers a connection that is about to open; keep this object until the connection is closed.
    ///
    /// `file` is the index file that now exists; `nil` if no such file exists. If connections of this process have
    /// mapped another file, this waits until they are closed.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced` if they are not closed within ``WriterLock/deadline``.
    init(
        of database: FileIdentity,
        named file: FileIdentity?,
        in directory: borrowing PrivateDirectory
    ) throws(StatusError) {
        self.database = database
        guard !Self.join(database, named: file) else { return }
        let end = CoarseClock.now + WriterLock.deadline
        repeat {
            guard CoarseClock.now < end else { throw StatusError(.notAvailable, .databaseReplaced) }
            pause(milliseconds: 5)
        } while try !Self.join(database, named: directory.inspect(Self.name))
    }

    deinit {
        Self.users.withLock { list in
            guard let users = list?.first(of: database) else { return }
            users.count -= 1
            if users.count == 0 { (users.database, users.file) = (nil, nil) }
        }
    }

    private static func join(_ database: FileIdentity, named: FileIdentity?) -> Bool {
        users.withLock { list in
            if let users = list?.first(of: database) {
                if let file = users.file, file != named { return false }
                users.count += 1
                return true
            }
            let users: Users
            if let unused = list?.first(of: nil) {
                users = unused
            } else {
                users = Users(before: list)
                list = users
            }
            (users.database, users.count) = (database, 1)
            return true
        }
    }

    /// Records the index file that the connection has mapped.
    ///
    /// - Returns: Whether all connections of this process to the database have mapped the same file.
    func settle(on file: FileIdentity) -> Bool {
        Self.users.withLock { list in
            guard let users = list?.first(of: database) else { return true }
            guard let known = users.file else {
                users.file = file
                return true
            }
            return known == file
        }
    }
}
