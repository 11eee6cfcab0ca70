// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// The system service on a disk without any free block.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root, to mount a small disk"))
struct FullDiskTests {
    private static let count = 40

    @Test(arguments: [SIGTERM, SIGKILL])
    func `on a full disk, items are read and deleted, and each deletion is recorded, also after a restart`(
        signal: Int32
    ) throws {
        try Self.checkFullDisk(ending: signal)
    }

    /// Checks a daemon on a full disk, before and after a signal ends it and it is started again.
    static func checkFullDisk(ending signal: Int32) throws {
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            // The disk is a little larger than the 64 MiB that must be free for adding an item.
            let disk = "mkdir \"$0/disk\"; mount -t tmpfs -o size=72m,mode=755 none \"$0/disk\""
            let namespace = try MountNamespace(disk, in: directory)
            defer { namespace.end() }
            let state = directory.path + "/disk/state"
            let options = ["--socket", directory.path + "/keychain/socket", "--state", state]
            let daemon = try namespace.startDaemon(options)
            defer { daemon.end() }
            let client = DaemonKeychain(
                at: .ofUser(runtimeDirectory: directory.path),
                claim: NumberedItems.caller
            )
            for number in 0..<Self.count { try NumberedItems.add(number, to: client) }
            try namespace.run(Self.fills, in: directory)
            try Self.checkDeletions(0..<Self.count / 2, client)
            kill(daemon.process, signal)
            _ = try daemon.wait()
            let restarted = try namespace.startDaemon(options)
            defer { restarted.end() }
            try Self.checkDeletions(Self.count / 2..<Self.count, client)
            try namespace.run("rm \"$0/disk/filler\"", in: directory)
            try NumberedItems.add(Self.count, to: client)
            #expect(try NumberedItems.isStored(Self.count, in: client))
            var deletions = 0
            let log = try AuditLogReader.verify(namespace.path(state + "/audit")) { record in
                if record["operation"] == "delete", record["result"] == "0" { deletions += 1 }
            }
            #expect(log.damage == nil && deletions == Self.count)
        }
    }

    /// Shell commands that leave no free block on the disk.
    private static let fills = """
        for size in 1M 4k; do dd if=/dev/zero bs=$size >>"$0/disk/filler" 2>/dev/null || true; done
        [ "$(stat -f -c %a "$0/disk")" = 0 ]
        """

    private static func checkDeletions(_ numbers: Range<Int>, _ client: DaemonKeychain) throws {
        for number in numbers {
            #expect(try NumberedItems.isStored(number, in: client))
            try NumberedItems.delete(number, from: client)
            #expect(throws: StatusError.self) { try NumberedItems.isStored(number, in: client) }
        }
        let refused = #expect(throws: StatusError.self) { try NumberedItems.add(count, to: client) }
        #expect(refused?.status == .diskFull || refused?.reason == .auditUnavailable)
    }
}
