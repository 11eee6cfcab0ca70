// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A shell that kills the watched programs and removes their folder once its standard input closes.
///
/// The input closes at the end of the tests, and also if the test process crashes.
package final class Watchdog: Sendable {
    private let directory: URL
    private let shell: ChildProcess

    private static let script = """
        trap '' HUP INT TERM
        watched=
        while read -r word number; do
        case $word in
        watch) watched="$watched $number ";;
        release) watched=$(echo "$watched" | sed "s/ $number //");;
        esac
        done
        for number in $watched; do kill -9 "$number"; done
        rm -rf "$0"
        """

    package init(of directory: URL) throws {
        self.directory = directory
        shell = try ChildProcess(
            "/bin/sh",
            ["-c", Self.script, directory.path],
            environment: ["PATH": "/usr/bin:/bin"],
            at: .noTerminal
        )
    }

    deinit {
        shell.finishInput()
        _ = try? shell.wait()
        shell.end()
    }

    package func watch(_ program: ChildProcess) throws { try shell.send("watch \(program.process)") }

    /// Stops watching programs that have ended, because their process identifiers may be reused.
    package func stopWatching(_ programs: [ChildProcess]) {
        for program in programs { try? shell.send("release \(program.process)") }
    }
}
