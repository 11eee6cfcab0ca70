// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainServices
import KeychainTesting
import Testing

/// Calls from threads and detached tasks, which do not inherit the keychain of a test.
@Suite struct WholeProcessTests {
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }

    @Test(.temporaryKeychain(wholeProcess: true), arguments: 1...8)
    func `a thread uses the store of one whole-process test at a time`(
        number: Int
    ) async throws {
        #expect(await Self.onThread { Items.add("alice", secret: "secret \(number)") } == errSecSuccess)
        await Task.yield()
        #expect(try TemporaryKeychain.current.itemCount == 1)
        #expect(await Self.onThread { Items.secret(of: "alice") } == .success("secret \(number)"))
        let directory = try TemporaryKeychain.current.directory
        #expect(await Task.detached { try? TemporaryKeychain.current.directory }.value == directory)
    }

    @Test(.temporaryKeychain) func `other tests keep their own keychain meanwhile`() async throws {
        let own = try TemporaryKeychain.current
        try await withTemporaryKeychain(.init(wholeProcess: true)) { keychain in
            #expect(await Self.onThread { Items.add("alice") } == errSecSuccess)
            let counts = try [keychain.itemCount, own.itemCount]
            #expect(counts == [1, 0])
        }
        #expect(Items.status(of: "alice") == errSecItemNotFound)
    }

    @Test(.temporaryKeychain(passcode: "1234", wholeProcess: true))
    func `a prompt on a thread is answered and counted`() async throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        #expect(Items.add("alice", [kSecAttrAccessControl: control]) == errSecSuccess)
        try TemporaryKeychain.current.answerPrompts(with: .passcode)
        #expect(await Self.onThread { Items.status(of: "alice") } == errSecSuccess)
        #expect(try TemporaryKeychain.current.prompts.count == 1)
    }

    @Test(.temporaryKeychain(wholeProcess: true))
    func `a whole-process test can contain another whole-process keychain`() async throws {
        #expect(Items.add("alice") == errSecSuccess)
        try await withTemporaryKeychain(.init(wholeProcess: true)) { _ in
            #expect(await Self.onThread { Items.status(of: "alice") } == errSecItemNotFound)
        }
        try withTemporaryKeychain(.init(wholeProcess: true)) { inner in
            #expect(Items.status(of: "alice") == errSecItemNotFound)
        }
        #expect(await Self.onThread { Items.status(of: "alice") } == errSecSuccess)
    }

    @Test(.temporaryKeychain(wholeProcess: true))
    func `threads run as the other application during withApplication`() async throws {
        let keychain = try TemporaryKeychain.current
        let status = await keychain.withApplication("TEAM.other") {
            await Self.onThread { Items.add("alice") }
        }
        #expect(status == errSecSuccess)
        #expect(try keychain.itemCount == 1)
        #expect(await Self.onThread { Items.status(of: "alice") } == errSecItemNotFound)
        #expect(keychain.withApplication("TEAM.other") { Items.status(of: "alice") } == errSecSuccess)
    }

    @Test(.temporaryKeychain(wholeProcess: true))
    func `concurrent withApplication bodies may end in any order`() async throws {
        let keychain = try TemporaryKeychain.current
        #expect(Items.add("bob") == errSecSuccess)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            await keychain.withApplication("TEAM.first") {
                begin.finish()
                for await _ in ended {}
            }
        }
        for await _ in began {}
        let status = await keychain.withApplication("TEAM.second") {
            end.finish()
            await first.value
            return await Self.onThread { Items.add("alice") }
        }
        #expect(status == errSecSuccess)
        #expect(keychain.withApplication("TEAM.second") { Items.status(of: "alice") } == errSecSuccess)
        #expect(await Self.onThread { Items.status(of: "bob") } == errSecSuccess)
    }

    @Test(.temporaryKeychain(wholeProcess: true))
    func `a second whole-process keychain on a blocking thread fails`() async throws {
        let refusal = await Task.detached {
            #expect(throws: TemporaryKeychainError.self) {
                try withTemporaryKeychain(.init(wholeProcess: true)) { _ in }
            }
        }.value
        #expect(refusal?.status == errSecNotAvailable)
    }

    @Test(.temporaryKeychain(wholeProcess: true), arguments: [false, true])
    func `calls do not fall back to another store after the store is removed`(onThread: Bool) async throws {
        #expect(Items.add("alice") == errSecSuccess)
        try FileManager.default.removeItem(at: TemporaryKeychain.current.directory)
        let status = onThread ? await Self.onThread { Items.add("bob") } : Items.add("bob")
        #expect(status == errSecNotAvailable)
    }
}
