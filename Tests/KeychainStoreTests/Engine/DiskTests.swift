// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

private let mountable: ConditionTrait = .enabled("mounting in a namespace of one's own needs root") {
    guard geteuid() == 0 else { return false }
    let process = try ChildProcess("/usr/bin/env", ["unshare", "-m", "true"], environment: environment)
    return try process.wait() == .exited(0)
}

private let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

/// Stores on full and on read-only file systems, mounted in a private mount namespace.
///
/// A script mounts a file system and runs the test tool, once or several times, with a store in the mounted
/// directory. The script prints the output of the tool, filtered in some tests, and lines of its own.
@Suite(mountable) struct DiskTests {
    /// Runs a script in its own mount namespace and returns its output lines.
    ///
    /// `$1` is an empty directory; `$TOOL` is the command that runs the test tool on the store in it.
    private func run(_ script: String, in directory: URL) throws -> [String] {
        let store = directory.appending(component: "store")
        let prelude = "set -e; TOOL=\(TestTool.executable); "
        let process = try ChildProcess(
            "/usr/bin/env",
            ["unshare", "-m", "sh", "-c", prelude + script, "sh", directory.path],
            environment: environment.merging(["KEYCHAIN_HOME": store.path]) { $1 }
        )
        process.finishInput()
        let lines = try process.readLines()
        #expect(try process.wait() == .exited(0))
        return lines
    }

    @Test(arguments: [256, 1_024])
    func `acknowledged items survive a full disk, and rejected ones are absent`(
        size: Int
    ) throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                mount -t tmpfs -o size=\(size)k,mode=700 keychain "$1"
                echo 'fill canary 3000' | "$TOOL" | uniq
                echo reopened
                echo count | "$TOOL"
                """,
                in: directory
            )
            let added = lines.filter { $0.hasPrefix("added ") }
            let failed = lines.filter { $0.hasPrefix("failed ") }
            #expect(!added.isEmpty)
            #expect(!failed.isEmpty)
            // `failed -34` is errSecDiskFull; SQLite reports a full disk in some of the calls, the kernel in
            // others.
            #expect(failed.allSatisfy { $0 == "failed -34" })
            #expect(lines.suffix(2) == ["reopened", "\(added.count)"])
        }
    }

    /// File system sizes in KiB that are too small for the database, its write-ahead log or the WAL index.
    @Test(arguments: [40, 56, 64, 72, 80, 96])
    func `any write without space returns errSecDiskFull`(size: Int) throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                mount -t tmpfs -o size=\(size)k,mode=700 keychain "$1"
                echo 'fill canary 3' | "$TOOL" | sed 's/^added .*/added/' | uniq
                echo 'add one canary' | "$TOOL"
                """,
                in: directory
            )
            #expect(lines.count >= 2)
            #expect(
                lines.allSatisfy { ["added", "failed -34", "done", "-34", "0"].contains($0) },
                "\(lines)"
            )
        }
    }

    @Test func `items can be added again once the disk has space`() throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                mount -t tmpfs -o size=1m,mode=700 keychain "$1"
                echo 'add before canary' | "$TOOL"
                head -c 2m /dev/zero > "$1/ballast" 2>/dev/null || true
                echo 'fill canary 500' | "$TOOL" | grep -c failed | sed 's/[1-9][0-9]*/some failed/'
                echo 'copy before' | "$TOOL"
                rm "$1/ballast"
                echo 'add after canary' | "$TOOL"
                echo 'copy after' | "$TOOL"
                echo 'copy before' | "$TOOL"
                """,
                in: directory
            )
            #expect(lines == ["0", "some failed", "0 canary", "0", "0 canary", "0 canary"])
        }
    }

    @Test(arguments: [256, 384, 1_024])
    func `items can be deleted on a disk that they have filled`(size: Int) throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                mount -t tmpfs -o size=\(size)k,mode=700 keychain "$1"
                echo 'fill canary 3000' | "$TOOL" | grep -c failed | sed 's/[1-9][0-9]*/some failed/'
                cd "$1/store"
                test $(stat -c %s keychain.db-wal) -le $(stat -c %s keychain.db) && echo 'short log'
                echo 'delete canary-0' | "$TOOL"
                printf 'delete canary-1\\ndelete canary-2\\ncopy canary-2\\ncopy canary-3\\n' | "$TOOL"
                """,
                in: directory
            )
            #expect(lines == ["some failed", "short log", "0", "0", "0", "-25300 ", "0 canary-3"])
        }
    }

    @Test func `creating a store on a full disk fails and leaves nothing behind`() throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                mount -t tmpfs -o size=64k,mode=700 keychain "$1"
                head -c 1m /dev/zero > "$1/ballast" 2>/dev/null || true
                echo 'add one canary' | "$TOOL"
                rm "$1/ballast"
                find "$1" -name '*.new*' | wc -l
                mount -o remount,size=1m "$1"
                echo 'add one canary' | "$TOOL"
                echo 'copy one' | "$TOOL"
                """,
                in: directory
            )
            #expect(lines == ["-34", "0", "0", "0 canary"])
        }
    }

    @Test(arguments: ["", "writer.lock"])
    func `a read-only store can be read, and a change returns errSecReadOnly`(missing: String) throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                printf 'add one canary\\nadd two canary\\n' | "$TOOL"
                for name in \(missing); do rm "$1/store/$name"; done
                mount --bind "$1" "$1"
                mount -o remount,ro,bind "$1"
                sum() { find "$1/store" -type f ! -name '*-shm' -exec sha256sum {} + | sort; }
                before=$(sum "$1")
                printf 'copy one\\ncount\\ncopy three\\nadd three canary\\nupdate one other\\ndelete two\\n' | "$TOOL"
                printf 'copy one\\ncopy two\\n' | "$TOOL"
                test "$before" = "$(sum "$1")" && echo unchanged
                """,
                in: directory
            )
            #expect(
                lines == [
                    "0", "0", "0 canary", "2", "-25300 ", "-25292", "-25292", "-25292", "0 canary",
                    "0 canary",
                    "unchanged",
                ]
            )
        }
    }

    /// SQLite reads a write-ahead log through its index, and cannot create a missing index on a read-only file
    /// system.
    @Test func `a store without a log index cannot be opened on a read-only file system`() throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                echo 'add one canary' | "$TOOL"
                rm "$1/store/keychain.db-shm"
                mount --bind "$1" "$1"
                mount -o remount,ro,bind "$1"
                printf 'copy one\\nadd two canary\\n' | "$TOOL"
                umount "$1"
                echo 'copy one' | "$TOOL"
                """,
                in: directory
            )
            #expect(lines == ["0", "-25291 ", "-25291", "0 canary"])
        }
    }

    @Test func `creating a store on a read-only file system fails`() throws {
        try TestTool.withDirectory { directory in
            let lines = try run(
                """
                mount --bind "$1" "$1"
                mount -o remount,ro,bind "$1"
                printf 'add one canary\\ncopy one\\n' | "$TOOL"
                ls "$1" | wc -l
                """,
                in: directory
            )
            // Reading creates no store, so a search finds nothing.
            #expect(lines == ["-25291", "-25300 ", "0"])
        }
    }
}
