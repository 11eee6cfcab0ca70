// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainTestSupport
import Testing

private let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

private let mountable: ConditionTrait = .enabled("mounting in a namespace of one's own needs root") {
    guard geteuid() == 0 else { return false }
    let process = try ChildProcess("/usr/bin/env", ["unshare", "-m", "true"], environment: environment)
    return try process.wait() == .exited(0)
}

/// The diagnosis of a keychain that can be read but not written.
@Suite(mountable) struct ReadOnlyStoreTests {
    /// Runs a script in a mount namespace, and returns its output.
    ///
    /// `$1` is the store, `$TOOL` the command that runs the test tool with that store.
    private func run(_ script: String) throws -> [String] {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let process = try ChildProcess(
                "/usr/bin/env",
                ["unshare", "-m", "sh", "-c", "TOOL=\(TestTool.executable); " + script, "sh", store.path],
                environment: environment.merging(["KEYCHAIN_HOME": store.path]) { $1 }
            )
            process.finishInput()
            let lines = try process.readLines()
            #expect(try process.wait() == .exited(0))
            return lines
        }
    }

    @Test(arguments: ["add canary canary", "valet diagnose"])
    func `a read-only mount is reported with and without the canary`(first: String) throws {
        let lines = try run(
            """
            echo '\(first)' | "$TOOL"
            mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"
            echo 'valet diagnose' | "$TOOL"
            """
        )
        #expect(lines == [first == "valet diagnose" ? "usable true" : "0", "readOnly false"])
    }

    @Test func `read-only files are reported`() throws {
        let lines = try run(
            """
            echo 'valet diagnose' | "$TOOL"
            chmod 400 "$1"/*
            echo 'valet diagnose' | setpriv --bounding-set -dac_override "$TOOL"
            """
        )
        #expect(lines == ["usable true", "readOnly false"])
    }
}
#endif
