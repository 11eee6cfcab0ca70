// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainClient
package import KeychainModel
import KeychainStore
import KeychainTesting
package import Testing

/// A test trait that gives each test a temporary keychain on disk.
///
/// After the test, it searches the keychain's files for the word "canary": names and secrets must be encrypted.
package struct SearchedKeychain: TestTrait, SuiteTrait, TestScoping {
    package let accessGroups: [String]

    package var isRecursive: Bool { true }

    private static let application = "TEAM.app"

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let options = TemporaryKeychain.Options(
            applicationIdentifier: Self.application,
            accessGroups: accessGroups,
            location: .disk
        )
        try await withTemporaryKeychain(options) { keychain in
            try await function()
            for file in try keychain.dataDirectories.flatMap({ try Canary.files(in: $0) }) {
                Issue.record("a name or a secret is readable in \(file)", sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension SearchedKeychain {
    package static let passcode = "canary passcode"

    /// The directory of the store; `nil` outside of a test with a temporary keychain.
    package static var directory: URL? { try? TemporaryKeychain.current.directory }

    package static func setPasscode() throws { try TemporaryKeychain.current.setPasscode(passcode) }

    /// Sets a passcode without leaving a copy of it in memory.
    package static func setPasscode(_ new: borrowing SecretBytes) throws {
        try TemporaryKeychain.current.embedded.setPasscode(new, cost: LockedStore.cost)
    }

    package static func lock() throws { try TemporaryKeychain.current.lock() }

    package static func removePasscode() throws -> Int {
        try TemporaryKeychain.current.removePasscode(passcode)
    }

    /// Calls `body` as a program with other access groups, with the same store.
    package static func withAccessGroups<Result>(
        _ accessGroups: [String],
        _ body: () throws -> Result
    ) throws -> Result {
        try TemporaryKeychain.current.withApplication(application, accessGroups: accessGroups, body)
    }
}

extension Trait where Self == SearchedKeychain {
    /// A keychain for a program with the access groups `TEAM.app` and `TEAM.shared`.
    package static var searchedKeychain: Self {
        .searchedKeychain(accessGroups: ["TEAM.app", "TEAM.shared"])
    }

    package static func searchedKeychain(accessGroups: [String]) -> Self { Self(accessGroups: accessGroups) }
}
