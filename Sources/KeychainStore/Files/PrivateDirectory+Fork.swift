// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// SQLite keeps its locks in the process's memory, and the system gives them to the process alone. In a child that was
/// forked the two disagree: SQLite believes to hold the locks of its parent's connection and takes them for its own.
/// Once the parent is gone, another program finds nobody there and empties the shared memory under the child.
extension PrivateDirectory {
    /// The ranges that say that a connection is open, as the file formats of SQLite fix them.
    private static let ranges: [(suffix: String, start: off_t, length: off_t)] = [
        // The shared range of the database file.
        ("", 0x4000_0002, 510),
        // The “dead man's switch” of the shared memory.
        ("-shm", 128, 1),
    ]

    /// Takes the locks that a forked child seems to have, before it opens the store that its parent had open.
    ///
    /// The files stay open: to close one is to give up all locks of the process on it.
    package func holdAfterFork(_ name: String) throws(StatusError) {
        for range in Self.ranges {
            let name = name + range.suffix
            guard try inspect(name) != nil else { continue }
            let file = try open(name, flags: O_RDWR)
            let number = file.leaked()
            var lock = flock()
            lock.l_type = Int16(F_RDLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = range.start
            lock.l_len = range.length
            while unsafe fcntl(number, F_SETLKW, &lock) != 0 {
                guard errno == EINTR else { throw systemError(name) }
            }
        }
    }
}
