// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A library that an attacker makes a program load.
enum PreloadedLibrary {
    static func make(in directory: URL, source text: String = AttackScripts.preloaded) throws -> String {
        let (source, library) = (directory.path + "/preloaded.c", directory.path + "/preloaded.so")
        try text.write(toFile: source, atomically: false, encoding: .utf8)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let compiler = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "$(command -v cc || command -v clang) -shared -fPIC -o \"$1\" \"$0\" && chmod 755 \"$1\"",
                source, library,
            ],
            environment: ["PATH": path]
        )
        defer { compiler.end() }
        guard try compiler.wait() == .exited(0) else { throw StartFailure(ending: compiler.end()) }
        return library
    }
}

/// An executable with the set-group-ID bit, as `security codesign install` makes it.
enum SetGroupIDProgram {
    private static let directories = [FileManager.default.temporaryDirectory.path, "/tmp", "/var/tmp"]

    /// Starts the program with `LD_PRELOAD`; returns `.granted` if it loads the library, otherwise `.denied`.
    static func outcomeOfPreload() throws -> AttackOutcome {
        let group = try SystemGroup.required()
        guard let parent = directories.first(where: honorsSetGroupID) else {
            try Test.cancel("the file systems of temporary files are mounted nosuid")
        }
        let directory = URL(filePath: parent).appending(component: "keychain-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        chmod(directory.path, 0o755)
        let program = directory.path + "/program"
        let script = "cp \"$0\" \"$1\" && chgrp \"$2\" \"$1\" && chmod 2755 \"$1\""
        let install = try ChildProcess(
            "/bin/sh",
            ["-c", script, TestTool.executable, program, group.name],
            environment: [:]
        )
        defer { install.end() }
        try #require(try install.wait() == .exited(0))
        let library = try PreloadedLibrary.make(in: directory)
        let user = "\(SystemDaemon.User.alice.rawValue)"
        let attacker = try ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid", user, "--regid", user, "--clear-groups", "/usr/bin/env", "LD_PRELOAD=\(library)",
                program,
            ],
            environment: ["KEYCHAIN_BACKEND": "embedded"]
        )
        defer { attacker.end() }
        return try attacker.ask("bundle") == "preloaded" ? .granted : .denied
    }

    static func honorsSetGroupID(_ directory: String) -> Bool {
        var status = statvfs()
        return statvfs(directory, &status) == 0 && status.f_flag & UInt(ST_NOSUID) == 0
    }
}
