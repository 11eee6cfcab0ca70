// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore

/// The BLAKE2b-256 digest and the size of an executable; `b2sum -l 256` prints the same digest.
package struct ExecutableDigest: Hashable, Sendable {
    package let digest: Bytes32
    package let size: UInt64

    package init(digest: Bytes32, size: UInt64) {
        self.digest = digest
        self.size = size
    }
}

/// Why an executable has no digest.
package enum ExecutableDefect: Error, Hashable, Sendable {
    case notARegularFile
    /// The file is larger than 512 MiB.
    case tooLarge
    case changedMeanwhile
    /// A system call failed with this `errno`.
    case unreadable(CInt)
}

/// The status of an open executable, which is the key of a cache of digests.
package struct ExecutableStatus: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let size: UInt64
    /// The modification time in nanoseconds since 1970.
    package let modified: Int64
    package let changed: Int64
    package let mode: UInt32
    package let owner: UInt32
    package let group: UInt32
    /// The number of hard links; 0 for a deleted file.
    package let links: UInt32
    /// Whether the file system ignores the set-group-ID bit.
    package let ignoresSetID: Bool
    /// Whether a server, such as NFS or FUSE, provides the file, and can change it without changing its
    /// status.
    package let isServed: Bool

    package init(of file: CInt) throws(ExecutableDefect) {
        var status = clinux_executable()
        guard unsafe clinux_examine_executable(file, &status) == 0 else { throw .unreadable(errno) }
        guard status.mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        device = status.device
        inode = status.inode
        size = status.size
        modified = status.modified
        changed = status.changed
        mode = status.mode
        owner = status.owner
        group = status.group
        links = status.links
        ignoresSetID = status.ignores_set_id != 0
        isServed = Self.served.contains(status.file_system)
    }

    /// The magic numbers of FUSE, NFS, 9p, SMB (three), Ceph, AFS, Coda and VirtualBox folders.
    private static let served: [UInt64] = [
        0x6573_5546, 0x6969, 0x0102_1997, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x00C3_6400, 0x5346_414F,
        0x7375_7245, 0x786F_4256,
    ]
}

extension ExecutableDigest {
    /// The size of the largest executable that is digested.
    package static let maximumSize: UInt64 = 512 << 20
    private static let blockSize = 1 << 18

    /// Computes the digest of an open file, without using its offset.
    ///
    /// The file's status is read before and after. If it differs, the file was written meanwhile, and this
    /// throws.
    package init(of file: CInt) throws(ExecutableDefect) {
        let status = try ExecutableStatus(of: file)
        guard status.size <= Self.maximumSize else { throw .tooLarge }
        var digest = StreamingDigest()
        var block = [UInt8](repeating: 0, count: Self.blockSize)
        var offset: UInt64 = 0
        while true {
            let count = unsafe block.withUnsafeMutableBytes { block in
                let count = unsafe pread(file, block.baseAddress, block.count, off_t(offset))
                if count > 0 { unsafe digest.update(UnsafeRawBufferPointer(rebasing: block[..<count])) }
                return count
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(errno) }
            if count == 0 { break }
            offset += UInt64(count)
            // Stop if the file grows while it is read.
            guard offset <= status.size else { throw .changedMeanwhile }
        }
        guard offset == status.size, try ExecutableStatus(of: file) == status else { throw .changedMeanwhile }
        self.init(digest: digest.finish(), size: status.size)
    }
}
