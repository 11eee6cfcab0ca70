// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

/// The files of a temporary keychain are removed, however its test ends.
@Suite struct CleanupTests {
    private struct Failure: Error {}

    private func exists(_ directory: URL?) throws -> Bool {
        FileManager.default.fileExists(atPath: try #require(directory).path)
    }

    /// The directory of the keychain that calls use now, which may be another test's; `nil` without one.
    private var current: URL? { try? TemporaryKeychain.current.directory }

    @Test func `a keychain is removed after its closure returns`() throws {
        let directory = try withTemporaryKeychain { keychain in
            #expect(Items.add("alice") == errSecSuccess)
            let exists = try exists(keychain.directory)
            #expect(exists)
            return keychain.directory
        }
        #expect(try !exists(directory))
        #expect(current != directory)
    }

    @Test func `a keychain is removed after its closure throws, and the error is rethrown`() async throws {
        var directories: [URL] = []
        #expect(throws: Failure.self) {
            try withTemporaryKeychain { keychain in
                directories.append(keychain.directory)
                throw Failure()
            }
        }
        await #expect(throws: Failure.self) {
            try await withTemporaryKeychain { keychain in
                directories.append(keychain.directory)
                await Task.yield()
                throw Failure()
            }
        }
        #expect(try directories.map { try exists($0) } == [false, false])
    }

    @Test(arguments: [false, true])
    func `a keychain is removed after a test with the trait throws`(wholeProcess: Bool) async throws {
        let trait = TemporaryKeychainTrait.temporaryKeychain(passcode: "1234", wholeProcess: wholeProcess)
        let test = try #require(Test.current)
        let kept = Kept()
        await #expect(throws: Failure.self) {
            try await trait.provideScope(for: test, testCase: nil) {
                await kept.keep(try TemporaryKeychain.current.directory)
                throw Failure()
            }
        }
        #expect(try await !exists(kept.directory))
        #expect(await current != kept.directory)
    }

    @Test func `a keychain is removed after a test with the trait fails`() async throws {
        let trait = TemporaryKeychainTrait.temporaryKeychain
        let test = try #require(Test.current)
        let kept = Kept()
        await withKnownIssue("the inner test fails on purpose, to check that its keychain is removed") {
            try await trait.provideScope(for: test, testCase: nil) {
                await kept.keep(try TemporaryKeychain.current.directory)
                Issue.record("a failure")
            }
        }
        #expect(try await !exists(kept.directory))
    }

    @Test func `an unusable directory is reported as an error`() throws {
        let missing = URL(filePath: "/nonexistent")
        let error = try #require(throws: TemporaryKeychainError.self) {
            try withTemporaryKeychain(.init(location: .disk(in: missing))) { _ in }
        }
        #expect(error.description.contains("/nonexistent"))
    }

    private actor Kept {
        private(set) var directory: URL?

        func keep(_ directory: URL) { self.directory = directory }
    }
}

/// Descriptions and dumps of a temporary keychain contain no passcode and no secret.
@Suite struct RedactionTests {
    private let canary = "canary-\(UInt64.random(in: .min ... .max))"

    @Test func `descriptions and dumps contain no passcode`() throws {
        let options = TemporaryKeychain.Options(passcode: canary)
        #expect(options.passcode == canary)
        try withTemporaryKeychain(options) { keychain in
            keychain.answerPrompts(with: .string(canary))
            #expect(Items.add("alice", secret: canary) == errSecSuccess)
            let values: [Any] = [
                options, keychain, TemporaryKeychain.Answer.string(canary), keychain.prompts,
                TemporaryKeychainTrait.temporaryKeychain(passcode: canary),
            ]
            for value in values {
                var text = "\(value) \(String(reflecting: value))"
                dump(value, to: &text)
                #expect(!text.contains(canary), "\(type(of: value))")
            }
        }
    }

    @Test func `files of the store contain no secret, account or passcode`() throws {
        try withTemporaryKeychain(.init(location: .disk, passcode: canary)) { keychain in
            #expect(Items.add(canary, secret: canary) == errSecSuccess)
            let files = try FileManager.default.contentsOfDirectory(
                at: keychain.directory,
                includingPropertiesForKeys: nil
            )
            #expect(files.count > 1)
            for file in files {
                #expect(
                    try Data(contentsOf: file).range(of: Data(canary.utf8)) == nil,
                    "\(file.lastPathComponent)"
                )
            }
        }
    }
}
