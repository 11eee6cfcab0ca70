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

/// Disks that are full or cannot be written to, mounted where nobody but the program under test sees them.
///
/// A script mounts and then runs the test tool, once or several times, over the store in the mounted directory; what
/// the tool says is what the script says.
@Suite(mountable) struct DiskTests {
    /// Runs a script in its own mount namespace.
    ///
    /// `$1` is an empty directory, `$TOOL` the tool over a store in it.
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
    func `what was acknowledged before the disk was full is there, and what was refused is not`(
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
            // A full disk is said to be one, whoever of SQLite and the system notices it.
            #expect(failed.allSatisfy { $0 == "failed -34" })
            #expect(lines.suffix(2) == ["reopened", "\(added.count)"])
        }
    }

    /// Too small for the database, for its log or for the log's index.
    @Test(arguments: [40, 56, 64, 72, 80, 96])
    func `whatever has no room, a full disk is said to be one`(size: Int) throws {
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

    @Test func `a disk that was full takes new items once it has room again`() throws {
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

    @Test func `a store cannot be made on a full disk, and nothing is left of it`() throws {
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
    func `a store that cannot be written to is read, and a change is refused`(missing: String) throws {
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

    /// SQLite reads a log through its index, which it must be able to make where it is missing.
    @Test func `a store without the index of its log is refused where nothing can be written`() throws {
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

    @Test func `a store cannot be made where nothing can be written`() throws {
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
            // Reading creates nothing, so that there is nothing to find.
            #expect(lines == ["-25291", "-25300 ", "0"])
        }
    }
}
