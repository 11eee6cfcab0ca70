// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainEngine
import KeychainModel
import KeychainTransport
package import Testing

/// Gives every test a keychain of its own, which the global functions reach while the test runs.
///
/// Afterwards nothing that a test has named may be found in a file, and the directory is gone.
package struct TemporaryKeychain: TestTrait, SuiteTrait, TestScoping {
    package let accessGroups: [String]

    package var isRecursive: Bool { true }

    /// The directory of the running test's store.
    @TaskLocal package static var directory: URL?

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(component: "keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: directory) }
        let connection = KeychainConnection(
            keychain: try Keychain(at: StoreLocation(directory: directory.path)),
            caller: Self.caller(accessGroups)
        )
        try await SystemKeychain.$override.withValue(connection) {
            try await Self.$directory.withValue(directory, operation: function)
        }
        for file in try Canary.files(in: directory) {
            Issue.record("a name or a secret is readable in \(file)", sourceLocation: test.sourceLocation)
        }
    }

    private static func caller(_ accessGroups: [String]) -> Caller {
        Caller(applicationIdentifier: "TEAM.app", accessGroups: accessGroups)
    }

    /// Runs a part of a test as a program with other access groups, over the same store.
    package static func withAccessGroups<Result>(
        _ accessGroups: [String],
        _ body: () throws -> Result
    ) throws -> Result {
        let connection = try #require(SystemKeychain.override)
        return try SystemKeychain.$override.withValue(
            KeychainConnection(keychain: connection.keychain, caller: caller(accessGroups)),
            operation: body
        )
    }
}

extension Trait where Self == TemporaryKeychain {
    /// A keychain for a program with the groups `TEAM.app` and `TEAM.shared`.
    package static var temporaryKeychain: Self {
        .temporaryKeychain(accessGroups: ["TEAM.app", "TEAM.shared"])
    }

    /// A keychain for a program with the given groups.
    package static func temporaryKeychain(accessGroups: [String]) -> Self { Self(accessGroups: accessGroups) }
}
