// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import KeychainTesting
import Testing

@testable import SessionExample

@Suite(.temporaryKeychain) struct SessionTests {
    @Test func `a token is found again`() throws {
        let session = Session(account: "alice")
        try session.save("token-1")
        #expect(try session.token() == "token-1")
        #expect(try TemporaryKeychain.current.itemCount == 1)
    }

    @Test func `a session that ended has no token`() throws {
        let session = Session(account: "alice")
        try session.save("token-1")
        try session.end()
        #expect(try session.token() == nil)
    }
}

@Suite struct LockedSessionTests {
    @Test(.temporaryKeychain(passcode: "1234"))
    func `a locked keychain does not log the user out`() throws {
        let session = Session(account: "alice")
        try session.save("token-1")
        try TemporaryKeychain.current.lock()
        #expect(throws: Session.Failure.locked) { try session.token() }
        try TemporaryKeychain.current.unlock()
        #expect(try session.token() == "token-1")
    }
}

@Suite(.temporaryKeychain) struct FailingSessionTests {
    @Test func `a full disk keeps the old token`() throws {
        let session = Session(account: "alice")
        try session.save("token-1")
        try TemporaryKeychain.current.failNext(errSecDiskFull, in: [.add, .update])
        #expect(throws: Session.Failure.keychain(errSecDiskFull)) { try session.save("token-2") }
        #expect(try session.token() == "token-1")
    }
}

@Suite(.temporaryKeychain) struct ConcurrentSessionTests {
    @Test func `the old token is readable until the new one is stored`() async throws {
        let session = Session(account: "alice")
        try session.save("token-1")
        let writing = try TemporaryKeychain.current.holdNext(in: [.update])
        let saving = Task(executorPreference: TemporaryKeychain.threads) { try session.save("token-2") }
        await writing.arrival()
        #expect(try session.token() == "token-1")
        writing.release()
        try await saving.value
        #expect(try session.token() == "token-2")
    }
}

@Suite(.temporaryKeychain(passcode: "1234")) struct PresenceTests {
    @Test func `the user is asked once for a token`() throws {
        let keychain = try TemporaryKeychain.current
        let session = Session(account: "alice", needsPresence: true)
        try session.save("token-1")
        #expect(keychain.prompts.isEmpty)

        keychain.answerPrompts(with: .passcode)
        #expect(try session.token() == "token-1")
        #expect(keychain.prompts.count == 1)
    }

    @Test func `the user can cancel`() throws {
        let session = Session(account: "alice", needsPresence: true)
        try session.save("token-1")
        try TemporaryKeychain.current.answerPrompts(with: .cancel)
        #expect(throws: Session.Failure.cancelled) { try session.token() }
    }
}

@Suite struct SharingTests {
    @Test(.temporaryKeychain(accessGroups: ["TEAM.mail", "TEAM.shared"]))
    func `another app does not find the token`() throws {
        let session = Session(account: "alice")
        try session.save("token-1")
        let keychain = try TemporaryKeychain.current
        let found = try keychain.withApplication("TEAM.notes", accessGroups: ["TEAM.notes", "TEAM.shared"]) {
            try session.token()
        }
        #expect(found == nil)
    }
}
