// SPDX-License-Identifier: Apache-2.0

public import Testing

/// A test trait that gives each test its own keychain: `.temporaryKeychain`.
///
/// By default the keychain is in memory, is empty, and has no passcode. The trait takes the
/// ``TemporaryKeychain/Options``: `.temporaryKeychain(accessGroups: ["TEAM.app"], in: .disk, passcode:
/// "1234")`.
public struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
    /// The options of the keychains.
    public let options: TemporaryKeychain.Options

    /// Whether a suite applies the trait to all its tests and suites: always `true`.
    public var isRecursive: Bool { true }

    /// Creates a keychain, runs a test with it, and removes it.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTemporaryKeychain(options) { _ in try await function() }
    }
}

extension Trait where Self == TemporaryKeychainTrait {
    /// Gives each test an empty keychain in memory, without a passcode.
    ///
    /// All keychain calls of the test use this keychain, including those of libraries; see
    /// ``TemporaryKeychain``. Each case of a parameterized test gets its own keychain. Tests with the trait run
    /// in parallel.
    public static var temporaryKeychain: Self { Self(options: .init()) }

    /// Gives each test a keychain of its own, with options.
    ///
    /// - Parameters:
    ///   - applicationIdentifier: The application identifier of the calling program.
    ///   - accessGroups: All access groups, starting with the default for new items; by default only the
    ///     application identifier.
    ///   - location: Where the store's files are created.
    ///   - passcode: The initial passcode; by default none.
    ///   - wholeProcess: Whether the keychain also applies to threads and detached tasks, whose calls fail
    ///     otherwise. Tests with this option run one after the other.
    /// - Returns: The trait.
    public static func temporaryKeychain(
        applicationIdentifier: String = "com.example.tests",
        accessGroups: [String]? = nil,
        in location: TemporaryKeychain.Location = .memory,
        passcode: String? = nil,
        wholeProcess: Bool = false
    ) -> Self {
        Self(
            options: TemporaryKeychain.Options(
                applicationIdentifier: applicationIdentifier,
                accessGroups: accessGroups,
                location: location,
                passcode: passcode,
                wholeProcess: wholeProcess
            )
        )
    }
}
