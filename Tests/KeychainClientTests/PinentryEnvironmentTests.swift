// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@Suite struct PinentryEnvironmentTests {
    @Test func `the environment selects the program and the terminal, or calls are non-interactive`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let pinentry = try ScriptedPinentry([
            .passcode(LockedStore.passcode), .passcode(LockedStore.passcode),
            .passcode(LockedStore.passcode),
        ])
        let failing = try ScriptedPinentry([.shell("exit 1"), .shell("exit 1")])
        let display = ["DISPLAY": ":77"]
        let rows: [(environment: [String: String], status: String)] = [
            (display.merging(["KEYCHAIN_PINENTRY": pinentry.path]) { $1 }, "0"),
            (["WAYLAND_DISPLAY": "wayland-7", "KEYCHAIN_PINENTRY": pinentry.path], "0"),
            (["KEYCHAIN_PINENTRY": pinentry.path], "0"),
            (["KEYCHAIN_PINENTRY": failing.path], "-25308"),
            (display.merging(["KEYCHAIN_PINENTRY": failing.path]) { $1 }, "-25308"),
            (display.merging(["KEYCHAIN_PINENTRY": ""]) { $1 }, "-25308"),
            (display.merging(["KEYCHAIN_PINENTRY": "/nonexistent/pinentry"]) { $1 }, "-25308"),
        ]
        for (number, row) in rows.enumerated() {
            let child = try TestTool.start(
                over: store.store,
                environment: store.environment.merging(row.environment) { $1 }
            )
            defer { child.end() }
            if number == 0 { #expect(try child.ask("protected constrain ak canary-a") == "0") }
            #expect(try child.ask("protected data ak canary-a") == row.status)
        }
        #expect(pinentry.prompts == 3)
        #expect(failing.prompts == 2)
        let program = pinentry.commands.first { $0.hasPrefix("SETDESC ") }
        #expect(program?.contains("“KeychainTestTool”") == true)
    }
}
