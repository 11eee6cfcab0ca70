// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@Suite(SecretServiceMachine.isAvailable) struct SecretToolTests {
    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `secret-tool stores, finds and removes a password`(over backend: SecretServiceMachine.Backend) throws
    {
        let machine = try SecretServiceMachine(over: backend)
        let service = try machine.start()
        let secret = Canary.make("password")
        let stored = try machine.secretTool(
            "store",
            "--label=Mail",
            "service",
            "imap",
            "user",
            "joe",
            input: secret
        )
        #expect(stored.ending == .exited(0), "\(stored.text)")
        #expect(try machine.secretTool("lookup", "service", "imap").text == secret)
        #expect(try machine.secretTool("lookup", "service", "imap", "user", "ann").ending == .exited(1))
        let found = try machine.secretTool("search", "--all", "user", "joe")
        #expect(found.lines.contains("label = Mail"))
        #expect(found.lines.contains("attribute.service = imap"))
        #expect(try machine.secretTool("clear", "service", "imap").ending == .exited(0))
        #expect(try machine.secretTool("lookup", "service", "imap").ending == .exited(1))
        #expect(try machine.stop(service) == .exited(0))
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `storing again with the same attributes replaces the password`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let machine = try SecretServiceMachine(over: backend)
        let service = try machine.start()
        for secret in ["first-canary", "second-canary"] {
            let stored = try machine.secretTool("store", "--label=L", "service", "s", input: secret)
            #expect(stored.ending == .exited(0))
        }
        #expect(try machine.secretTool("lookup", "service", "s").text == "second-canary")
        let found = try machine.secretTool("search", "--all", "service", "s")
        #expect(found.lines.filter { $0 == "label = L" }.count == 1)
        _ = try machine.stop(service)
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `items survive a restart of the service, and the command lists them`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let machine = try SecretServiceMachine(over: backend)
        let first = try machine.start()
        let secret = Canary.make("password")
        _ = try machine.secretTool("store", "--label=Kept item", "service", "kept", input: secret)
        #expect(try machine.stop(first) == .exited(0))
        let second = try machine.start()
        #expect(try machine.secretTool("lookup", "service", "kept").text == secret)
        let list = try machine.run("security", ["list"])
        #expect(list.text.hasPrefix("secret-service:login/"), "\(list.text)")
        #expect(try Canary.files(in: machine.directory.appending(component: "store")) == [])
        _ = try machine.stop(second)
    }

    @Test(arguments: SecretServiceMachine.Backend.allCases)
    func `the service sees items that another program deletes`(
        over backend: SecretServiceMachine.Backend
    ) throws {
        let machine = try SecretServiceMachine(over: backend)
        let service = try machine.start()
        _ = try machine.secretTool("store", "--label=Gone", "service", "gone", input: Canary.make("password"))
        #expect(try machine.secretTool("lookup", "service", "gone").ending == .exited(0))
        let deleted = try machine.run("security", ["delete-generic-password", "-l", "Gone"])
        #expect(deleted.ending == .exited(0), "\(deleted.text)")
        #expect(try machine.secretTool("lookup", "service", "gone").ending == .exited(1))
        _ = try machine.stop(service)
    }

    @Test(arguments: [("--wrong", 64), ("--help", 0)])
    func `an unknown option and --help print the usage`(option: String, code: Int32) throws {
        let machine = try SecretServiceMachine()
        let output = try machine.run("keychain-secret-service", [option])
        #expect(output.ending == .exited(code))
        #expect(output.text.contains("usage: keychain-secret-service"))
    }
}
