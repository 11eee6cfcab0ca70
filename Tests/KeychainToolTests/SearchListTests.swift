// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The search list file: unreadable, with invalid content, and changed by several commands at once.
@Suite struct SearchListTests {
    private let home: TemporaryHome
    private var list: String { home.store + ".search-list" }

    init() throws { home = try TemporaryHome() }

    @Test func `a search list that cannot be opened is an error`() throws {
        #expect(mknod(list, S_IFSOCK | 0o600, 0) == 0)
        for verb in ["list-keychains", "default-keychain", "add-generic-password -a me -s service -w canary"]
        {
            let result = try home.shell("security \(verb)")
            #expect(result.code == 53)
            #expect(result.complaintsText.hasPrefix("security: \(list): it cannot be opened: "))
        }
        #expect(!FileManager.default.fileExists(atPath: home.store))
    }

    @Test func `a directory with a control character cannot be added to the search list`() throws {
        let result = try home.shell(
            """
            security create-keychain build
            export KEYCHAIN_HOME="$HOME/$(printf 'a\\nsearch /elsewhere')"
            security list-keychains -s login
            """
        )
        #expect(result.code == 53)
        #expect(result.complaintsText.contains("control character"))
        let files = try FileManager.default.contentsOfDirectory(atPath: home.directory)
        #expect(!files.contains { $0.hasSuffix(".search-list") })
    }

    @Test func `lock-keychain -a locks every keychain of the search list that has a passcode`() throws {
        let result = try home.shell(
            """
            security create-keychain -p first one && security create-keychain -p second two
            security add-generic-password -a me -s open -w secret
            security list-keychains -s login one two
            for keychain in one two; do
                security add-generic-password -a me -s "$keychain" -w secret "$keychain"
            done
            security lock-keychain -a && echo locked
            for service in open one two; do
                security find-generic-password -s "$service" -w; echo "$service $?"
            done
            """
        )
        #expect(
            result.outputText.split(separator: "\n") == ["locked", "secret", "open 0", "one 36", "two 36"]
        )
    }

    @Test func `a generic password of any keychain takes precedence over an internet password`() throws {
        let result = try home.shell(
            """
            security create-keychain one && security create-keychain two
            security list-keychains -s one two
            security add-internet-password -a me -s service -w 'canary one' one
            security add-generic-password -a me -s service -w 'canary two' two
            security get service/me; security rm service/me
            security get service/me; security rm service/me
            security get service/me; echo $?
            """
        )
        #expect(result.outputText == "canary two\ncanary one\n44\n")
    }

    @Test func `concurrent changes of the search list wait for each other`() throws {
        #expect(
            try home.shell("security create-keychain build && security default-keychain -s build").code == 0
        )
        let lock = open(list + ".lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let process = try ToolProcess(
            ToolProcess.executable,
            ["list-keychains", "-s", "build"],
            environment: home.environment,
            input: "/dev/null",
            output: home.directory + "/output",
            complaints: home.directory + "/complaints"
        )
        try waitForLock(process)
        // Changes the file as another command would, while the first command waits for the lock.
        try Data("default /elsewhere\n".utf8).write(to: URL(filePath: list))
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try process.wait() == 0)
        let lines = try String(contentsOfFile: list, encoding: .utf8)
        #expect(lines == "default /elsewhere\nsearch \(home.directory)/build.keychain\n")
    }

    /// Waits until the kernel reports that the process is waiting for a file lock.
    private func waitForLock(_ process: ToolProcess) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let locks = try KernelFile.text("/proc/locks").split(separator: "\n")
            if locks.contains(where: { $0.contains("-> FLOCK") && $0.contains(" \(process.identifier) ") }) {
                return
            }
            usleep(1_000)
        }
        throw ToolProcess.Unfinished(identifier: process.identifier)
    }
}
