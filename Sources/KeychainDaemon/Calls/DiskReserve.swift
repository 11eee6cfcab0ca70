// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel
import Synchronization

/// A file that occupies space on the disk of the stores, so that items can be read and deleted when the disk is full.
///
/// SQLite first writes each change, also a deletion, to the write-ahead log, which needs space. If a call fails because
/// the disk is full, the file is emptied, the call is repeated, and the file is filled again.
final class DiskReserve: Sendable {
    private let path: String
    /// Held while the file is empty, so that one call at a time uses the space.
    private let lock = Mutex(())
    /// The sizes to try, the largest first: after a call, the write-ahead log may still occupy a part of the space.
    private static let sizes: [off_t] = [1 << 20, 1 << 19, 1 << 18, 1 << 17, 1 << 16]

    init(directory: String) {
        path = directory + "/reserve"
        fill()
    }

    private func fill() {
        let file = Descriptor(unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        guard file.number >= 0 else { return }
        _ = Self.sizes.first { clinux_reserve(file.number, 0, $0) == 0 }
    }

    /// Performs a call; if the disk is full, empties the file and performs the call again.
    func repeatIfFull(_ perform: () -> DaemonReply) -> DaemonReply {
        let reply = perform()
        guard reply.status == .diskFull else { return reply }
        return lock.withLock { _ in
            let file = Descriptor(unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW))
            guard file.number >= 0, ftruncate(file.number, 0) == 0 else { return reply }
            defer { fill() }
            return perform()
        }
    }
}
