// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Tracks which WAL index file (`-shm`) this process's connections to a database have mapped.
///
/// SQLite shares the first mapping among all connections of a process to a database, even if the file is
/// replaced before the next connection opens. Writes through a mapping of a replaced file are lost.
final class SharedIndex: Sendable {
    private struct Users: Sendable {
        let database: FileIdentity
        var count = 1
        /// The mapped index file; `nil` until the first connection has opened it.
        var file: FileIdentity?
    }

    /// One entry for each database to which this process has connections.
    ///
    /// This is an array, because the first use of a dictionary type makes Swift's runtime search all protocol
    /// conformances of the program, which is slow.
    private static let users = ForkSafeMutex<[Users]>([])

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
        Self.users.withLock { users in
            guard let index = users.firstIndex(where: { $0.database == database }) else { return }
            users[index].count -= 1
            if users[index].count == 0 { users.remove(at: index) }
        }
    }

    private static func join(_ database: FileIdentity, named: FileIdentity?) -> Bool {
        users.withLock { users in
            guard let index = users.firstIndex(where: { $0.database == database }) else {
                users.append(Users(database: database))
                return true
            }
            if let file = users[index].file, file != named { return false }
            users[index].count += 1
            return true
        }
    }

    /// Records the index file that the connection has mapped.
    ///
    /// - Returns: Whether all connections of this process to the database have mapped the same file.
    func settle(on file: FileIdentity) -> Bool {
        Self.users.withLock { users in
            guard let index = users.firstIndex(where: { $0.database == database }) else { return true }
            guard let known = users[index].file else {
                users[index].file = file
                return true
            }
            return known == file
        }
    }
}
