// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Passcodes, locking and access controls with a `securityd` process.
@Suite struct LockCallTests {
    private static let caller = Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])

    private static func secret(_ text: String) -> SecretBytes {
        var bytes = Array(text.utf8)
        return SecretBytes(moving: &bytes)
    }

    private static func add(
        _ account: String,
        _ control: AccessControl? = nil,
        with authentication: Authentication = .none
    ) throws -> Response {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        attributes[.accessible] = .string(ProtectionClass.whenUnlocked.name)
        attributes[.synchronizable] = .number(0)
        return try SystemKeychain.perform(
            .add(
                NewItem(
                    itemClass: .genericPassword,
                    attributes: attributes,
                    secret: .init("canary".utf8),
                    accessControl: control
                )
            ),
            with: authentication
        )
    }

    private static func copy(_ account: String, with authentication: Authentication = .none) throws -> String?
    {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        let request = CopyRequest(filter: filter, returning: .data)
        guard case .items(let items) = try SystemKeychain.perform(.copy(request), with: authentication) else {
            return nil
        }
        return items.first?.secret.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `locking in one program locks the keychain of the others`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                try SystemKeychain.setPasscode(Self.secret("canary passcode"))
                _ = try Self.add("canary")
                let tool = try daemon.startTool()
                defer { tool.end() }
                try SystemKeychain.lock()
                #expect(throws: StatusError(.interactionNotAllowed, .classKeyAbsent)) {
                    try Self.copy("canary")
                }
                #expect(try tool.ask("unlock wrong").hasPrefix("-25293"))
                try SystemKeychain.unlock(with: Self.secret("canary passcode"))
                #expect(try Self.copy("canary") == "canary")
            }
        }
    }

    @Test func `the passcode is changed, verified and removed through the daemon`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                try SystemKeychain.setPasscode(Self.secret("canary one"))
                #expect(throws: StatusError(.authenticationFailed, .passcodeExists)) {
                    try SystemKeychain.setPasscode(Self.secret("canary two"))
                }
                try SystemKeychain.changePasscode(
                    from: Self.secret("canary one"),
                    to: Self.secret("canary two")
                )
                #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) {
                    try SystemKeychain.verify(Self.secret("canary one"))
                }
                try SystemKeychain.verify(Self.secret("canary two"))
                try SystemKeychain.set(LockSettings(interval: 600, locksOnSleep: true))
                guard case .status(let status) = try SystemKeychain.perform(.status) else { return }
                #expect(status.passcodeIsSet && status.lockSettings.interval == 600)
                #expect(try SystemKeychain.countItemsNeedingPasscode(Self.secret("canary two")) == 0)
                #expect(try SystemKeychain.removePasscode(Self.secret("canary two")) == 0)
                #expect(try !SystemKeychain.passcodeIsSet())
            }
        }
    }

    @Test func `the key of an authentication result stays in the daemon`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                try SystemKeychain.setPasscode(Self.secret("canary passcode"))
                let control = AccessControl(protection: .whenUnlocked, flags: ConstraintBit.userPresence)
                _ = try Self.add("canary", control)
                #expect(throws: control.authenticationNeeded) { try Self.copy("canary") }
                let proof = try Authentication.none.proving(Self.secret("canary passcode"))
                #expect(proof.isProved)
                #expect(try Self.copy("canary", with: proof) == "canary")
                // The daemon discards the keys of a connection when the connection ends, so the proof of an earlier
                // authentication is invalid.
                daemon.child.end()
                try daemon.restart()
                #expect(throws: control.authenticationNeeded) { try Self.copy("canary", with: proof) }
            }
        }
    }

    @Test func `an application password opens its item, also after a new connection`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                try SystemKeychain.setPasscode(Self.secret("canary passcode"))
                let control = AccessControl(
                    protection: .whenUnlocked,
                    flags: ConstraintBit.applicationPassword
                )
                let right = Authentication.none.with(applicationPassword: Self.secret("canary password"))
                _ = try Self.add("canary", control, with: right)
                let wrong = Authentication.none.with(applicationPassword: Self.secret("canary other"))
                #expect(throws: StatusError.self) { try Self.copy("canary", with: wrong) }
                #expect(try Self.copy("canary", with: right) == "canary")
                daemon.child.end()
                try daemon.restart()
                try SystemKeychain.unlock(with: Self.secret("canary passcode"))
                #expect(try Self.copy("canary", with: right) == "canary")
            }
        }
    }

    @Test func `changes of items are reported for the caller's groups`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                #expect(try SystemKeychain.versions().isEmpty)
                _ = try Self.add("canary")
                #expect(try SystemKeychain.versions().map(\.accessGroup) == ["TEAM.app"])
                #expect(try SystemKeychain.ownItemCount() == 1)
            }
            try daemon.run(as: ["TEAM.other"]) { () throws in
                #expect(try SystemKeychain.versions().isEmpty)
                #expect(try SystemKeychain.ownItemCount() == 0)
            }
        }
    }

    @Test func `the store directory is the daemon's, and deleting the store is not implemented`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run { () throws in
                #expect(try SystemKeychain.storeDirectory() == daemon.directory.path + "/keychain")
                #expect(throws: StatusError(.unimplemented, .notThroughDaemon)) {
                    try SystemKeychain.deleteStore(at: nil)
                }
            }
        }
    }
}
