// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Unlocking without a user: systemd's credentials, open files, and PAM.
@Suite struct UnattendedUnlockTests {
    private static let passcode = "canary-passcode"

    static func withLockedStore(_ body: (DaemonProcess) throws -> Void) throws {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            #expect(try tool.ask("add canary canary-value") == "0")
            _ = tool.end()
            let client = daemon.client()
            try client.setPasscode(SecretBytes(text: passcode))
            try client.lock()
            try body(daemon)
        }
    }

    static func lockState(_ daemon: DaemonProcess) throws -> StoreStatus.LockState? {
        let caller = Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])
        guard case .status(let status) = try daemon.client().perform(.status, for: caller, with: .none) else {
            return nil
        }
        return status.lockState
    }

    private static func credentials(_ daemon: DaemonProcess, _ passcode: String) throws -> String {
        let directory = daemon.directory.appending(component: "credentials")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data("\(passcode)\n".utf8).write(to: directory.appending(component: "keychain.passcode"))
        return directory.path
    }

    @Test func `security unlock-keychain reads the passcode from systemd's credential`() throws {
        try Self.withLockedStore { daemon in
            #expect(try Self.lockState(daemon) != .unlocked)
            let directory = try Self.credentials(daemon, Self.passcode)
            let result = try daemon.security(
                ["unlock-keychain"],
                environment: ["CREDENTIALS_DIRECTORY": directory]
            )
            #expect(result.isSuccess, "\(result.text)")
            #expect(try Self.lockState(daemon) == .unlocked)
        }
    }

    @Test func `security unlock-keychain reads the passcode from a file descriptor`() throws {
        try Self.withLockedStore { daemon in
            let result = try daemon.security(["unlock-keychain", "--passcode-fd", "0"], input: Self.passcode)
            #expect(result.isSuccess, "\(result.text)")
            #expect(try Self.lockState(daemon) == .unlocked)
        }
    }

    @Test func `the daemon unlocks its store at its start with systemd's credential`() throws {
        try Self.withLockedStore { daemon in
            let directory = try Self.credentials(daemon, Self.passcode)
            daemon.send(SIGTERM)
            #expect(try daemon.child.wait() == .exited(0))
            let lines = try daemon.restart(environment: ["CREDENTIALS_DIRECTORY": directory])
            #expect(lines.contains { $0.contains("unlocked") } && !lines.joined().contains("canary"))
            #expect(try Self.lockState(daemon) == .unlocked)
        }
    }

    @Test func `a wrong credential leaves the store locked, and the daemon serves it`() throws {
        try Self.withLockedStore { daemon in
            let directory = try Self.credentials(daemon, "canary-wrong")
            daemon.send(SIGTERM)
            #expect(try daemon.child.wait() == .exited(0))
            let lines = try daemon.restart(environment: ["CREDENTIALS_DIRECTORY": directory])
            #expect(!lines.contains { $0.contains("unlocked") } && !lines.joined().contains("canary"))
            #expect(try Self.lockState(daemon) != .unlocked)
        }
    }

    @Test(
        .enabled(if: SystemDaemon.isPossible, "needs root"),
        arguments: [(passcode: passcode, isUnlocked: true), (passcode: "canary-wrong", isUnlocked: false)]
    )
    func `the system service unlocks the store of the user whom its credential names`(
        passcode: String,
        isUnlocked: Bool
    ) throws {
        try SystemServiceUnlock.withLockedStores(of: [.alice, .bob]) { daemon in
            let credentials = daemon.directory.appending(component: "credentials")
            try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: false)
            let name = "keychain.passcode.\(SystemDaemon.User.alice.rawValue)"
            try Data("\(passcode)\n".utf8).write(to: credentials.appending(component: name))
            chmod(credentials.path, 0o755)
            daemon.send(SIGTERM)
            _ = try daemon.child.wait()
            try daemon.restart(environment: ["CREDENTIALS_DIRECTORY": credentials.path])
            #expect(try SystemServiceUnlock.isUnlocked(.alice, daemon) == isUnlocked)
            #expect(try !SystemServiceUnlock.isUnlocked(.bob, daemon))
        }
    }

    @Test(
        .enabled(if: SystemDaemon.isPossible, "needs root"),
        arguments: [(passcode: passcode, isUnlocked: true), (passcode: "canary-wrong", isUnlocked: false)]
    )
    func `pam_exec unlocks the store of the user who logs in, in the system service`(
        passcode: String,
        isUnlocked: Bool
    ) throws {
        try SystemServiceUnlock.withLockedStores(of: [.account, .alice]) { daemon in
            let user = try #require(getpwuid(SystemDaemon.User.account.rawValue))
            let result = try SecurityCommand.run(
                ["unlock-keychain", "--pam"],
                input: passcode,
                environment: [
                    "KEYCHAIN_SOCKET": daemon.socketPath, "KEYCHAIN_BACKEND": "daemon",
                    "PAM_USER": String(cString: user.pointee.pw_name), "PAM_TYPE": "auth",
                ]
            )
            #expect(result.ending == .exited(0) && result.lines.isEmpty, "\(result.text)")
            #expect(try SystemServiceUnlock.isUnlocked(.account, daemon) == isUnlocked)
            #expect(try !SystemServiceUnlock.isUnlocked(.alice, daemon))
        }
    }

    @Test(arguments: [
        (input: "canary-passcode\0", type: "auth", isUnlocked: true),
        (input: "canary-passcode", type: "auth", isUnlocked: true),
        (input: "canary-wrong\0", type: "auth", isUnlocked: false),
        (input: "", type: "auth", isUnlocked: false),
        (input: "canary-passcode\0", type: "close_session", isUnlocked: false),
    ])
    func `pam_exec unlocks with the login password, and never fails`(
        input: String,
        type: String,
        isUnlocked: Bool
    ) throws {
        try Self.withLockedStore { daemon in
            let user = String(cString: getpwuid(geteuid()).pointee.pw_name)
            let result = try daemon.security(
                ["unlock-keychain", "--pam"],
                input: input,
                environment: ["PAM_USER": user, "PAM_TYPE": type]
            )
            #expect(result.ending == .exited(0))
            #expect(result.lines.isEmpty, "\(result.text)")
            #expect(try (Self.lockState(daemon) == .unlocked) == isUnlocked)
        }
    }

    @Test func `pam_exec does nothing for a user without a keychain`() throws {
        try DaemonProcess.with { daemon in
            for user in ["no-such-user-name", String(cString: getpwuid(geteuid()).pointee.pw_name)] {
                let result = try daemon.security(
                    ["unlock-keychain", "--pam"],
                    input: Self.passcode,
                    environment: ["PAM_USER": user, "PAM_TYPE": "auth"]
                )
                #expect(result.ending == .exited(0) && result.lines.isEmpty)
            }
        }
    }
}

/// Locked stores of users in the system service.
enum SystemServiceUnlock {
    static func withLockedStores(
        of users: [SystemDaemon.User],
        _ body: (SystemDaemon) throws -> Void
    ) throws {
        try SystemDaemon.with { daemon in
            for user in users {
                for arguments in [["set-keychain-password", "-p", "canary-passcode"], ["lock-keychain"]] {
                    let result = try daemon.security(arguments, as: user)
                    try #require(result.isSuccess, "\(result.text)")
                }
                #expect(try !isUnlocked(user, daemon))
            }
            try body(daemon)
        }
    }

    static func isUnlocked(_ user: SystemDaemon.User, _ daemon: SystemDaemon) throws -> Bool {
        let program = try daemon.run(TestTool.executable, as: user)
        defer { program.end() }
        return try program.ask("state").hasSuffix(", unlocked")
    }
}
