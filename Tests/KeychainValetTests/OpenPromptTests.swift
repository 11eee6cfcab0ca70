// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import KeychainItems
import KeychainTestSupport
import KeychainTesting
import Synchronization
import Testing

@testable import Valet

@Suite(.ownKeychain) struct OpenPromptTests {
    let keychain: TemporaryKeychain
    let valet: SinglePromptSecureEnclaveValet
    /// Signaled by the test to end the wait of ``beginReading()``, as if the user had answered.
    private let answer = DispatchSemaphore(value: 0)

    init() throws {
        keychain = try .current
        try keychain.setPasscode("canary passcode")
        keychain.answerPrompts(with: .passcode)
        valet = .valet(with: try .fresh(), accessControl: .userPresence)
        try valet.setString("canary", forKey: "key")
    }

    /// Starts a read of this valet, and returns once the read waits for `answer`, as for an open prompt.
    private func beginReading() async -> Task<String, any Error> {
        let (valet, answer) = (valet, answer)
        let (waiting, arrival) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await BlockingCalls.run {
                try valet.context.read("canary") { context throws(KeychainFailure) in
                    arrival.yield()
                    answer.wait()
                    return try SandboxCalls.string(forKey: "key", in: valet.sandbox, context)
                }
            }
        }
        var arrived = waiting.makeAsyncIterator()
        await arrived.next()
        return reading
    }

    @Test(.timeLimit(.minutes(10))) func `only reads of the same valet wait for an open prompt`() async throws
    {
        let answer = keychain.directory.appending(component: "answer")
        // The prompt stays open until the test creates the file.
        let pinentry = try ScriptedPinentry([
            .shell(
                "until [ -e '\(answer.path)' ]; do sleep 0.05; done; printf 'D %s\\nOK\\n' 'canary passcode'"
            ), .passcode("canary passcode"),
        ])
        let valet = valet
        try await pinentry.answering {
            let isAnswered = Mutex(false)
            let reading = Task {
                defer { isAnswered.withLock { $0 = true } }
                return try await valet.async.string(forKey: "key", withPrompt: "canary")
            }
            while pinentry.prompts == 0 { try await Task.sleep(for: .milliseconds(5)) }
            let other = SinglePromptSecureEnclaveValet.valet(with: try .fresh(), accessControl: .userPresence)
            try await other.async.setString("canary other", forKey: "key")
            #expect(try await other.async.string(forKey: "key", withPrompt: "canary") == "canary other")
            #expect(pinentry.prompts == 2)
            #expect(try await valet.async.containsObject(forKey: "key"))
            try await valet.async.setString("canary new", forKey: "new")
            try await valet.async.removeObject(forKey: "new")
            #expect(!isAnswered.withLock { $0 })
            try Data().write(to: answer)
            #expect(try await reading.value == "canary")
        }
        try FileManager.default.removeItem(at: answer)
    }

    @Test(.timeLimit(.minutes(10))) func `requiring a prompt cancels the one that is open`() async throws {
        let reading = await beginReading()
        valet.requirePromptOnNextAccess()
        answer.signal()
        let failure = await #expect(throws: KeychainFailure.self) { try await reading.value }
        #expect(failure?.error == .userCancelled)
        #expect(keychain.prompts.isEmpty)
        #expect(try valet.string(forKey: "key", withPrompt: "canary") == "canary")
        #expect(keychain.prompts.count == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `requiring a prompt closes the dialog`() async throws {
        // The prompt stays open until pinentry reads a line or its standard input is closed.
        let pinentry = try ScriptedPinentry([.shell("read -r line"), .passcode("canary passcode")])
        let valet = valet
        try await pinentry.answering {
            let reading = Task { try await valet.async.string(forKey: "key", withPrompt: "canary") }
            while pinentry.prompts == 0 { try await Task.sleep(for: .milliseconds(5)) }
            valet.requirePromptOnNextAccess()
            await #expect(throws: KeychainError.userCancelled) { try await reading.value }
            #expect(pinentry.prompts == 1)
            #expect(try await valet.async.string(forKey: "key", withPrompt: "canary") == "canary")
            #expect(pinentry.prompts == 2)
        }
    }

    @Test func `an empty reason keeps the previous one`() throws {
        try valet.context.read("canary reason") { _ in }
        #expect(try valet.context.read("") { $0.prompt } == "canary reason")
        #expect(try valet.context.read("canary new") { $0.prompt } == "canary new")
    }

    @Test func `checking, writing and removing do not use the authentication result`() throws {
        #expect(try valet.string(forKey: "key", withPrompt: "") == "canary")
        // The context is invalid from here on, so a call that used it would fail.
        try valet.context.read("") { $0.invalidate() }
        #expect(throws: KeychainError.userCancelled) { try valet.string(forKey: "key", withPrompt: "") }
        #expect(try valet.containsObject(forKey: "key"))
        #expect(try !valet.containsObject(forKey: "missing"))
        try valet.removeObject(forKey: "key")
        try valet.setString("canary", forKey: "key")
        try valet.removeAllObjects()
        #expect(keychain.prompts.count == 1)
    }
}
#endif
