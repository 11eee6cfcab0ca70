// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The systemd units of the system service.
@Suite(
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
        "needs systemd-analyze"
    )
)
struct ServiceUnitTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL

    /// Runs `systemd-analyze` with copies of the units; returns its output.
    private static func analyze(_ arguments: [String]) throws -> [String] {
        try TestTool.withDirectory { directory in
            let units = root.appending(path: "Packaging/systemd/system")
            for name in try FileManager.default.contentsOfDirectory(atPath: units.path) {
                try FileManager.default.copyItem(
                    at: units.appending(component: name),
                    to: directory.appending(component: name)
                )
            }
            let child = try ChildProcess(
                "/bin/sh",
                ["-c", "cd \"$0\" && exec systemd-analyze \"$@\" 2>&1", directory.path] + arguments,
                environment: ["PATH": "/usr/bin:/bin", "SYSTEMD_PAGER": "", "LC_ALL": "C.UTF-8"]
            )
            defer { child.end() }
            return try child.readLines()
        }
    }

    @Test(arguments: ["securityd.service", "keychain-identify@.service", "keychain-sync@.service"])
    func `Daemon.md publishes the exposure that systemd-analyze computes`(unit: String) throws {
        let lines = try Self.analyze(["security", "--offline=yes", "--no-pager", "./" + unit])
        let result = try #require(lines.last { $0.contains("Overall exposure level") })
        let exposure = try #require(result.split(separator: ": ").last?.split(separator: " ").first)
        let version = try #require(try Self.analyze(["--version"]).first).split(separator: " ")[1]
        // Other versions of systemd weigh the settings differently, so their figures differ.
        guard version == "252" else {
            #expect(try #require(Double(exposure)) < 2.5)
            return
        }
        let page = try String(
            contentsOf: Self.root.appending(path: "Documentation/Daemon.md"),
            encoding: .utf8
        )
        #expect(page.contains("| `\(unit)` | \(exposure) |"))
    }

    @Test(arguments: ["securityd", "keychain-identify"])
    func `systemd accepts the units`(name: String) throws {
        let service = name == "securityd" ? "securityd.service" : "keychain-identify@x.service"
        let lines = try Self.analyze(["verify", "./\(name).socket", "./\(service)"])
        // The programs are not installed.
        #expect(lines.filter { !$0.contains("is not executable") } == [])
    }
}
