// SPDX-License-Identifier: Apache-2.0

/// The types of file systems that the kernel implements, without a server that could delay or change a read.
///
/// An overlay counts as local without a check of its layers, and a file system on a block device without a check of
/// what else can write to the device.
package enum LocalFileSystems {
    private static let names: Set<String> = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "bcachefs", "zfs", "f2fs", "jfs", "nilfs2", "reiserfs",
        "ubifs",
        "tmpfs", "ramfs", "rootfs", "overlay", "squashfs", "erofs", "cramfs", "iso9660", "udf", "vfat",
        "exfat",
        "ntfs3",
    ]

    /// Returns whether the table of mounts lists a mount with this number and a local file system.
    ///
    /// The table has the format of `/proc/PID/mountinfo`: the first field of a line is the number, and the
    /// field after `-` is the type.
    package static func isLocal(mount: String, in table: [UInt8]) -> Bool {
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.first?.elementsEqual(mount.utf8) == true else { continue }
            guard let end = fields.dropFirst(6).firstIndex(where: { $0.elementsEqual("-".utf8) }),
                end + 1 < fields.count
            else { return false }
            return names.contains(String(decoding: fields[end + 1], as: UTF8.self))
        }
        return false
    }
}
