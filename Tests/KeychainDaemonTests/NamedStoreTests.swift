// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// `security` with `KEYCHAIN_BACKEND=daemon` and an operand or `-k` that names another keychain than the daemon's.
@Suite struct NamedStoreTests {
    /// Runs the command, and fails if it fails.
    private func succeed(
        _ daemon: DaemonProcess,
        _ arguments: [String],
        input: String? = nil
    ) throws -> String {
        let result = try daemon.security(arguments, input: input)
        #expect(result.isSuccess, "\(arguments): \(result.text)")
        return result.text
    }

    @Test func `a command works on the keychain that it names`() throws {
        try DaemonProcess.with { daemon in
            let add = ["add-generic-password", "-s", "a", "-a", "b", "-w"]
            _ = try succeed(daemon, add + ["canary daemon"])
            _ = try succeed(daemon, ["create-keychain", "-p", "canary passcode", "other"])
            _ = try succeed(daemon, add + ["canary other", "other"])
            #expect(try succeed(daemon, ["get", "a/b", "-k", "other"]) == "canary other")
            #expect(try succeed(daemon, ["get", "a/b"]) == "canary daemon")
            _ = try succeed(daemon, ["set", "c/d", "-k", "other"], input: "canary set")
            #expect(try succeed(daemon, ["list", "-k", "other"]) == "a/b\nc/d")
            #expect(try succeed(daemon, ["list"]) == "a/b")
            #expect(try succeed(daemon, ["show-keychain-info", "other"]).contains("/other.keychain"))
            _ = try succeed(daemon, ["delete-generic-password", "-s", "a", "-a", "b", "other"])
            #expect(try succeed(daemon, ["list", "-k", "other"]) == "c/d")
            #expect(try succeed(daemon, ["get", "a/b"]) == "canary daemon")
            _ = try succeed(daemon, ["lock-keychain", "other"])
            let locked = try daemon.security(["get", "c/d", "-k", "other"])
            #expect(locked.ending == .exited(36))
            #expect(try succeed(daemon, ["get", "a/b"]) == "canary daemon")
        }
    }

    @Test func `daemon-status prints the documented members`() throws {
        try DaemonProcess.with { daemon in
            let status = try succeed(daemon, ["daemon-status", "--json"])
            #expect(DocumentedMembers.describe(status, of: "daemon-status"), "\(status)")
        }
    }

    @Test func `the default keychain and the search list name other keychains`() throws {
        try DaemonProcess.with { daemon in
            _ = try succeed(daemon, ["set", "a/b"], input: "canary daemon")
            _ = try succeed(daemon, ["create-keychain", "other"])
            _ = try succeed(daemon, ["default-keychain", "-s", "other"])
            _ = try succeed(daemon, ["set", "c/d"], input: "canary other")
            #expect(try succeed(daemon, ["list", "-k", "login"]) == "a/b")
            #expect(try succeed(daemon, ["list", "-k", "other"]) == "c/d")
            _ = try succeed(daemon, ["list-keychains", "-s", "other", "login"])
            #expect(try succeed(daemon, ["get", "a/b"]) == "canary daemon")
            #expect(try succeed(daemon, ["get", "c/d"]) == "canary other")
        }
    }
}
