// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The header of SQLite's WAL index (`-shm`): equal headers mean that the database has the same contents.
///
/// The header is in memory that the connections of all processes share, and every commit changes its counter
/// and checksums. Reading it requires no lock and no system call. Format:
/// https://www.sqlite.org/walformat.html
struct LogHeader: Equatable {
    private typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    private let words: Words

    /// Reads the header; `nil` while a commit is changing it, after a process was killed during a commit, or if the
    /// header was never written.
    init?(at index: UnsafeRawPointer) {
        let first = unsafe index.load(as: Words.self)
        // A writer changes the second copy before the first, so read the first copy first.
        atomicMemoryFence(ordering: .acquiring)
        let second = unsafe index.load(fromByteOffset: MemoryLayout<Words>.size, as: Words.self)
        // Byte 12 of the header is not 0 once the header has been written.
        guard first == second, first.1 >> 32 & 0xff != 0 else { return nil }
        words = first
    }

    /// The number of frames in the log, from bytes 16 to 19 of the header.
    var frameCount: Int { Int(words.2 & 0xffff_ffff) }

    static func == (left: Self, right: Self) -> Bool { left.words == right.words }
}
