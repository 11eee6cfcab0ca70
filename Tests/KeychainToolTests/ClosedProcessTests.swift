// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// What other processes of the user can read of a command that waits for input.
@Suite struct ClosedProcessTests {
    /// Returns the command line that runs a program without privileges.
    ///
    /// The program runs as the user who runs the tests, or as user 65534 if root runs them.
    private static func unprivileged(_ words: [String]) -> [String] {
        geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + words : words
    }

    private static let canRunUnprivileged: Bool = {
        let words = unprivileged([ToolProcess.executable, "error", "0"])
        let process = try? ToolProcess(
            words[0],
            Array(words.dropFirst()),
            environment: (try? TemporaryHome())?.environment ?? [:],
            input: "/dev/null",
            output: "/dev/null",
            complaints: "/dev/null"
        )
        return (try? process?.wait()) == 0
    }()

    /// Starts a program and returns the owner of its files in `/proc`.
    ///
    /// The kernel makes root the owner if the process cannot be traced or dumped.
    private func owner(of words: [String], waitingAt prompt: String) throws -> Int? {
        let terminal = try Terminal()
        let words = Self.unprivileged(words)
        let process = try ToolProcess(
            words[0],
            Array(words.dropFirst()),
            environment: try TemporaryHome().environment,
            input: terminal.name,
            output: terminal.name,
            complaints: terminal.name
        )
        try terminal.wait(for: prompt)
        let path = "/proc/\(process.identifier)/mem"
        let owner = try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? Int
        terminal.type("\u{4}")
        _ = try process.wait()
        return owner
    }

    @Test(.enabled(if: canRunUnprivileged, "root cannot run the command as the user 65534 by setpriv here"))
    func `a debugger of the same user cannot read a waiting command`() throws {
        let user = geteuid() == 0 ? 65_534 : Int(geteuid())
        #expect(try owner(of: [ToolProcess.executable, "-i"], waitingAt: "security> ") == 0)
        // For comparison: `cat` allows tracing, so its files in `/proc` belong to the user.
        #expect(try owner(of: ["/bin/cat", "/etc/hostname", "-"], waitingAt: "\n") == user)
    }

    @Test func `a waiting command writes no core file`() throws {
        let terminal = try Terminal()
        let process = try terminal.start(["-i"], in: try TemporaryHome())
        try terminal.wait(for: "security> ")
        let limits = try KernelFile.text("/proc/\(process.identifier)/limits")
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(line?.split(separator: " ").dropFirst(4).first == "0")
        terminal.type("\u{4}")
        #expect(try process.wait() == 0)
    }

    @Test(arguments: ["run --", "ssh-agent -a \"$HOME/agent\" --"])
    func `a program that the command starts has the limits of the caller`(verb: String) throws {
        let home = try TemporaryHome()
        let limits = "sh -c 'ulimit -Hc; ulimit -Sc'"
        let own = try home.shell("ulimit -Sc $(ulimit -Hc); \(limits)")
        #expect(own.code == 0)
        let started = try home.shell("ulimit -Sc $(ulimit -Hc); security \(verb) \(limits)")
        #expect(started.outputText == own.outputText, "\(started.complaintsText)")
    }
}
