// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainClient
import KeychainModel
package import KeychainStore

/// The keychain of a running test: an encrypted store that all the test's keychain calls use.
///
/// ``current`` is this keychain in the test, in the functions that the test calls, and in the tasks that it
/// starts with `Task` or in a task group. The keychain's descriptions contain no secret or passcode.
public final class TemporaryKeychain: Sendable {
    let store: TemporaryStore
    let faults = FaultPlan()
    let user: SimulatedUser
    /// The application that the test runs as, and its access groups.
    let caller: Caller

    /// The store's private directory, which is removed after the test.
    public var directory: URL { store.directory }

    /// The directories with the test's data: the store's and, if it serves the test, the system service's.
    package var dataDirectories: [URL] {
        [directory] + (StoreDaemon.isOfSystem ? [store.daemon?.state].compactMap(\.self) : [])
    }

    /// The store as opened by this process, even if a daemon serves it to the test.
    package var embedded: EmbeddedKeychain { store.keychain.current }

    init(_ options: Options) throws(TemporaryKeychainError) {
        store = try TemporaryStore(options)
        user = SimulatedUser(knowing: store)
        caller = Self.caller(options.applicationIdentifier, options.accessGroups)
    }

    /// Releases held calls and removes the store.
    func end() {
        faults.end()
        store.remove()
    }

    static func caller(_ application: String, _ accessGroups: [String]?) -> Caller {
        Caller(applicationIdentifier: application, accessGroups: accessGroups ?? [application])
    }

    /// The keychain of the running test.
    ///
    /// - Throws: ``TemporaryKeychainError/noTemporaryKeychain`` outside of a test with a temporary keychain,
    ///   and on threads and detached tasks that a test started, unless its keychain is that of the whole
    ///   process.
    public static var current: TemporaryKeychain {
        get throws(TemporaryKeychainError) {
            guard let scope = Scope.current else { throw .noTemporaryKeychain }
            return scope.keychain
        }
    }

    /// The number of items in the store, of all applications.
    ///
    /// - Throws: ``TemporaryKeychainError`` if the store cannot be read.
    public var itemCount: Int {
        get throws(TemporaryKeychainError) { Int(try store.status().itemCount) }
    }

    /// Runs a part of a test as another application with other access groups, on the same store.
    ///
    /// If the keychain is that of the whole process, threads and detached tasks also run as the other
    /// application. If several bodies run concurrently, threads and detached tasks run as the application of
    /// the body that began last and has not ended.
    ///
    /// - Parameters:
    ///   - application: The application identifier of the other application.
    ///   - accessGroups: All access groups of the other application, starting with the default for new items; by
    ///     default its application identifier only. With an empty array, every call returns
    ///     `errSecMissingEntitlement`.
    ///   - body: The calls of the application.
    /// - Returns: The result of `body`.
    public func withApplication<Result>(
        _ application: String,
        accessGroups: [String]? = nil,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try Scope(self, as: Self.caller(application, accessGroups)).run(body)
    }

    /// Runs an asynchronous part of a test as another application; see the synchronous form.
    public func withApplication<Result>(
        _ application: String,
        accessGroups: [String]? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Scope(self, as: Self.caller(application, accessGroups)).run(body)
    }
}

extension TemporaryKeychain: CustomStringConvertible {
    /// A description with the path of the store's directory.
    public var description: String { "temporary keychain at \(directory.path)" }
}
