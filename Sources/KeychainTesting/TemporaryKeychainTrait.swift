// SPDX-License-Identifier: Apache-2.0

public import Testing

/// Gives each test a keychain of its own; written `.temporaryKeychain`.
///
/// Without more the keychain is in memory, empty, and has no passcode. The trait takes what
/// ``TemporaryKeychain/Options`` has: `.temporaryKeychain(accessGroups: ["TEAM.app"], in: .disk, passcode: "1234")`.
public struct TemporaryKeychainTrait: TestTrait, SuiteTrait, TestScoping {
    /// How the keychains are made.
    public let options: TemporaryKeychain.Options

    /// A suite gives the trait to each test and each suite in it.
    public var isRecursive: Bool { true }

    /// Makes a keychain, runs a test on it, and removes it whatever became of the test.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTemporaryKeychain(options) { _ in try await function() }
    }
}

extension Trait where Self == TemporaryKeychainTrait {
    /// Gives each test a keychain of its own: in memory, empty, without a passcode.
    ///
    /// Every keychain call of the test reaches it, through whatever library; see ``TemporaryKeychain``. Each case of a
    /// parametrized test gets its own. Tests with it run in parallel.
    public static var temporaryKeychain: Self { Self(options: .init()) }

    /// Gives each test a keychain of its own, made to order.
    ///
    /// - Parameters:
    ///   - applicationIdentifier: The identifier of the application that calls.
    ///   - accessGroups: All its access groups, the one in which items are made by default first; by default the
    ///     identifier alone.
    ///   - place: Where the files of the store are.
    ///   - passcode: The passcode that is set from the start; by default none.
    ///   - wholeProcess: Whether the keychain is also that of threads and detached tasks, which belong to no test. Tests
    ///     that ask for this run one after the other. Without it their calls are refused.
    /// - Returns: The trait.
    public static func temporaryKeychain(
        applicationIdentifier: String = "com.example.tests",
        accessGroups: [String]? = nil,
        in place: TemporaryKeychain.Place = .memory,
        passcode: String? = nil,
        wholeProcess: Bool = false
    ) -> Self {
        Self(
            options: TemporaryKeychain.Options(
                applicationIdentifier: applicationIdentifier,
                accessGroups: accessGroups,
                place: place,
                passcode: passcode,
                wholeProcess: wholeProcess
            )
        )
    }
}
