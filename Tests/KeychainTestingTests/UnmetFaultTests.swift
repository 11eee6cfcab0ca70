// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainServices
import KeychainTesting
import Testing
import XCTest

/// Planned faults that no call has used.
@Suite struct UnmetFaultTests {
    /// XCTest fails the outer test too, so the inner test runs in a process of its own.
    @Test func `an unused fault fails only its own test in KeychainTestCase`() async {
        await #expect(processExitsWith: .success) {
            let counts = await withCheckedContinuation { continuation in
                // XCTest blocks the thread on which it runs a test.
                Thread.detachNewThread {
                    continuation.resume(returning: [true, false].map(RecordedTestCase.failures(meeting:)))
                }
            }
            let (met, unmet) = (counts[0], counts[1])
            exit(met.isEmpty && unmet.count == 1 && unmet[0].contains("failNext") ? 0 : 1)
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

/// A test that records its failures.
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

    /// Runs a test that plans a fault and uses it or not.
    static func failures(meeting isMet: Bool) -> [String] {
        let test = RecordedTestCase(name: "planned failure") { _ in
            try TemporaryKeychain.current.failNext(errSecIO)
            if isMet { XCTAssertEqual(Items.add("alice"), errSecIO) }
        }
        test.run()
        return test.failures
    }
}
