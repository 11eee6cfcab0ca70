// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// Acquires the locks of a store that is opened in a forked child.
///
/// SQLite records in process memory which locks it holds, but a child process does not inherit the kernel's
/// locks. In a forked child, SQLite therefore assumes that it holds the locks of the parent's connection.
/// Once the parent exits, another program would find no locks, and truncate the shared memory that the child
/// uses.
extension PrivateDirectory {
    /// The byte ranges that an open connection locks, as defined by SQLite's file formats.
    private static let ranges: [(suffix: String, start: off_t, length: off_t)] = [
        // The shared range of the database file.
        ("", 0x4000_0002, 510),
        // The byte of the shared memory that SQLite calls the dead man's switch.
        ("-shm", 128, 1),
    ]

    /// Acquires the locks that SQLite in a forked child assumes it holds.
    ///
    /// The files stay open, because closing one would release all of the process's locks on it.
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
