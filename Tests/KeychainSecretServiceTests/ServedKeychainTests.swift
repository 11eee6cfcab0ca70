// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainSecretService

/// The Secret Service of a keychain that `securityd --user` serves.
@Suite(SecretServiceMachine.isAvailable) struct ServedKeychainTests {
    @Test func `items are found after securityd was restarted`() throws {
        let machine = try SecretServiceMachine(over: .daemon)
        let service = try machine.start()
        let secret = Canary.make("password")
        let stored = try machine.secretTool("store", "--label=L", "service", "s", input: secret)
        #expect(stored.ending == .exited(0), "\(stored.text)")
        try machine.stopDaemon()
        let without = try machine.secretTool("lookup", "service", "s")
        #expect(without.ending == .exited(1) && !without.text.contains(secret), "\(without.text)")
        try machine.startDaemon()
        #expect(try machine.secretTool("lookup", "service", "s").text == secret)
        #expect(try machine.stop(service) == .exited(0))
    }

    @Test func `a keychain stays locked or unlocked while securityd restarts, and a prompt unlocks it`()
        throws
    {
        let answers = [ScriptedPinentry.Answer](
            repeating: .passcode(SecretServiceMachine.passcode),
            count: 10
        )
        let pinentry = try ScriptedPinentry(answers)
        let machine = try SecretServiceMachine(["KEYCHAIN_PINENTRY": pinentry.path], over: .daemon)
        let service = try machine.start()
        let secret = Canary.make("password")
        _ = try machine.secretTool("store", "--label=L", "service", "s", input: secret)
        try machine.setPasscode()
        try machine.stopDaemon()
        try machine.startDaemon()
        #expect(try machine.secretTool("lookup", "service", "s").text == secret)
        #expect(pinentry.prompts == 0)
        try machine.lock()
        try machine.stopDaemon()
        try machine.startDaemon()
        // A loaded machine may start the dialog too late.
        var found = try machine.secretTool("lookup", "service", "s")
        for _ in 0..<10 where found.ending != .exited(0) {
            found = try machine.secretTool("lookup", "service", "s")
        }
        #expect(found.text == secret)
        #expect(pinentry.prompts >= 1)
        _ = try machine.stop(service)
    }

    /// Adds items like secret-tool, each with `bytes` bytes in its attributes, up to 100 in a call of securityd.
    private static func add(_ numbers: Range<Int>, bytes: Int, to machine: SecretServiceMachine) throws {
        let caller = Caller(applicationIdentifier: "security", accessGroups: ["security"])
        let daemon = DaemonKeychain(
            at: .ofUser(runtimeDirectory: machine.directory.path),
            claim: caller
        )
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
            let requests = (start..<min(start + 100, numbers.upperBound)).map { number in
                Request.add(item(number, bytes))
            }
            try daemon.perform(
                together: requests,
                with: .none,
                skip: nil,
                progress: { _ in true },
                undone: { _ in }
            )
        }
    }

    private static func item(_ number: Int, _ bytes: Int) -> NewItem {
        let record = KeychainRecord.item(
            ServiceItem(
                id: "item\(number)",
                collection: ServiceCollection.login,
                owner: "program:/usr/bin/secret-tool",
                label: "L",
                attributes: ["number": String(number), "padding": String(repeating: "x", count: bytes)],
                contentType: "text/plain",
                created: 0,
                modified: 0
            )
        )
        var attributes = record.content
        attributes.fill(from: record.identity)
        attributes[.accessible] = .string(ProtectionClass.whenUnlocked.name)
        // `Output.text` has only complete lines.
        let secret = SecretBuffer(Array("canary \(number)\n".utf8))
        return NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret)
    }

    /// The attributes of 700 items have 21 MB; a message of securityd has at most 17 MiB.
    @Test(arguments: [(700, 30_000), (20_000, 10)])
    func `all items are found, also if they do not fit into one message`(count: Int, bytes: Int) throws {
        let machine = try SecretServiceMachine(over: .daemon)
        try Self.add(0..<count, bytes: bytes, to: machine)
        let service = try machine.start()
        for number in [0, count / 2, count - 1] {
            let found = try machine.secretTool("lookup", "number", String(number))
            #expect(found.text == "canary \(number)")
        }
        // The service reads all items again after another program has added one.
        try Self.add(count..<count + 1, bytes: bytes, to: machine)
        #expect(try machine.secretTool("lookup", "number", String(count)).text == "canary \(count)")
        #expect(try machine.secretTool("lookup", "number", String(count + 1)).ending == .exited(1))
        #expect(try machine.stop(service) == .exited(0))
    }
}
