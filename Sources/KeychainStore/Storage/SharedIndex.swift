// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The index of a log, `-shm`, as the connections of this process have it.
///
/// SQLite lets all connections of a process to one database share what the first of them mapped, whatever the file's
/// name leads to when the next one opens. A connection that has another file than the name leads to writes for nobody.
final class SharedIndex: Sendable {
    private struct Users: Sendable {
        let database: FileIdentity
        var count = 1
        /// The file; `nil` until the first connection has met it.
        var file: FileIdentity?
    }

    /// An array, as the first use of a type of dictionary searches every protocol conformance of the program.
    private static let users = ForkSafeMutex<[Users]>([])

    static let name = StoreLocation.databaseName + "-shm"

    private let database: FileIdentity

    /// To be made before the connection opens the database, and to be held until it is closed.
    ///
    /// Where other connections have another file, this waits for their calls to end.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced` where they do not.
    init(
        of database: FileIdentity,
        in directory: borrowing PrivateDirectory
    ) throws(StatusError) {
        self.database = database
        let end = CoarseClock.now + WriterLock.deadline
        while try !Self.join(database, named: directory.inspect(Self.name)) {
            guard CoarseClock.now < end else { throw StatusError(.notAvailable, .databaseReplaced) }
            pause(milliseconds: 5)
        }
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

    /// Notes the file that the connection has, and says whether all others have it too.
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
