// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// What `security doctor` checks of a store that securityd serves.
@Suite struct DaemonDoctorTests {
    private func doctor(_ daemon: DaemonProcess, home: String? = nil) throws -> SecurityCommand.Result {
        try daemon.security(["doctor"], environment: ["KEYCHAIN_HOME": home ?? daemon.store.path])
    }

    @Test func `doctor checks the files, key cache and synchronization of the user service's store`() throws {
        try DaemonProcess.with { daemon in
            try DaemonMaintenanceTests.fill(daemon, [DaemonMaintenanceTests.item(1)])
            let intact = try doctor(daemon)
            for line in [
                "ok       files: only this user can read them", "ok       key cache: ",
                "ok       synchronization: this keychain is not synchronized",
            ] { #expect(intact.lines.contains { $0.hasPrefix(line) }, "\(line): \(intact.text)") }

            let database = daemon.store.path + "/keychain.db"
            try #require(chmod(database, 0o640) == 0)
            let open = try doctor(daemon)
            #expect(open.ending == .exited(1))
            #expect(
                open.lines.contains("problem  files: \(database) can be used by other users"),
                "\(open.text)"
            )
        }
    }

    @Test func `doctor says that securityd serves another store than KEYCHAIN_HOME names`() throws {
        try DaemonProcess.with { daemon in
            try DaemonMaintenanceTests.fill(daemon, [DaemonMaintenanceTests.item(1)])
            try DaemonProcess.with { other in
                try DaemonMaintenanceTests.fill(other, [DaemonMaintenanceTests.item(1)])
                for home in [other.store.path, other.directory.path + "/none"] {
                    let result = try doctor(daemon, home: home)
                    #expect(
                        result.text.contains(
                            "note     files: not checked: securityd serves another keychain"
                        ),
                        "\(result.text)"
                    )
                }
            }
        }
    }

    @Test(.enabled("needs root") { SystemDaemon.isPossible })
    func `doctor says what it does not check of the system service's store`() throws {
        try SystemDaemon.with { daemon in
            let user = SystemDaemon.User.alice
            #expect(try daemon.security(["set", "mail.example/alice"], as: user, input: "canary").isSuccess)
            let result = try daemon.security(["doctor"], as: user)
            for line in [
                "ok       files: securityd has them in a directory of its own", "ok       key cache: ",
                "note     synchronization: not checked: keychain-sync@\(user.rawValue).service",
            ] { #expect(result.lines.contains { $0.hasPrefix(line) }, "\(line): \(result.text)") }
        }
    }
}
