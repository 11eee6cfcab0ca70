// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainServices
import KeychainTesting
import Testing
import XCTest

/// A planned failure that no call uses makes the test fail.
@Suite struct UnusedFaultTests {
    /// The inner test runs in a process of its own, because XCTest would also record its failures in the outer
    /// test.
    @Test func `an unused fault fails only its own test in KeychainTestCase`() async {
        await #expect(processExitsWith: .success) {
            let counts = await withCheckedContinuation { continuation in
                // XCTest blocks the thread that runs a test, so the test gets its own thread.
                Thread.detachNewThread {
                    continuation.resume(returning: [true, false].map(RecordedTestCase.failures(using:)))
                }
            }
            let (used, unused) = (counts[0], counts[1])
            exit(used.isEmpty && unused.count == 1 && unused[0].contains("failNext") ? 0 : 1)
        }
    }

    @Test func `an unused fault fails only its own test with the trait`()
        async throws
    {
        let trait: TemporaryKeychainTrait = .temporaryKeychain
        let test = try #require(Test.current)
        let error = await #expect(throws: TemporaryKeychainError.self) {
            try await trait.provideScope(for: test, testCase: nil) {
                try TemporaryKeychain.current.failNext(errSecIO)
            }
        }
        #expect(error?.description.contains("failNext") == true)
        try await trait.provideScope(for: test, testCase: nil) {
            try TemporaryKeychain.current.failNext(errSecIO)
            #expect(Items.add("alice") == errSecIO)
        }
    }
}

/// An XCTest case that records its failures instead of reporting them.
private final class RecordedTestCase: KeychainTestCase {
    private var failures: [String] = []

    override func recordFailure(
        withDescription description: String,
        inFile filePath: String,
        atLine lineNumber: Int,
        expected: Bool
    ) {
        failures.append(description)
    }

    /// Runs a test that plans a failure, and returns the test's failures.
    ///
    /// `isUsed` selects whether a call uses the planned failure.
    static func failures(using isUsed: Bool) -> [String] {
        let test = RecordedTestCase(name: "planned failure") { _ in
            try TemporaryKeychain.current.failNext(errSecIO)
            if isUsed { XCTAssertEqual(Items.add("alice"), errSecIO) }
        }
        test.run()
        return test.failures
    }
}
