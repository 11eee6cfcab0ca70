// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// The keychain of a running test: an encrypted store of its own, which every keychain call of the test reaches.
///
/// The test finds it in ``current``, and so do the functions that it calls and the tasks that it starts with `Task` or
/// in a task group. Nothing of it shows a secret or a passcode in a description.
public final class TemporaryKeychain: Sendable {
    let store: TemporaryStore
    let faults = FaultPlan()
    let person: Person
    /// The application as which the test calls, and what it is entitled to.
    let caller: Caller

    /// The directory of the store, private to the user; it is gone after the test.
    public var directory: URL { store.directory }

    init(_ options: Options) throws(TemporaryKeychainError) {
        store = try TemporaryStore(options)
        person = Person(knowing: store)
        caller = Self.caller(options.applicationIdentifier, options.accessGroups)
    }

    /// Lets go what waits, and removes the store.
    func end() {
        faults.end()
        store.remove()
    }

    static func caller(_ application: String, _ accessGroups: [String]?) -> Caller {
        Caller(applicationIdentifier: application, accessGroups: accessGroups ?? [application])
    }

    /// The keychain of the running test.
    ///
    /// - Throws: ``TemporaryKeychainError/noTemporaryKeychain`` outside of a test that has one, and on a thread or in a
    ///   detached task that a test started, unless its keychain is that of the whole process.
    public static var current: TemporaryKeychain {
        get throws(TemporaryKeychainError) {
            guard let scope = Scope.current else { throw .noTemporaryKeychain }
            return scope.keychain
        }
    }

    /// The number of items in the store, those of every application together.
    ///
    /// - Throws: ``TemporaryKeychainError`` where the store cannot be read.
    public var itemCount: Int {
        get throws(TemporaryKeychainError) { Int(try store.status().itemCount) }
    }

    /// Runs a part of a test as another application with other access groups, over the same store.
    ///
    /// Where the keychain is that of the whole process, its threads and detached tasks are the other application too. Of
    /// parts that run at once they are the one that began last and has not ended.
    ///
    /// - Parameters:
    ///   - application: The identifier of the other application.
    ///   - accessGroups: All its groups, the one in which items are made by default first; by default the identifier
    ///     alone. An application with no group is refused every call with `errSecMissingEntitlement`.
    ///   - body: What the application does.
    /// - Returns: What the closure returns.
    public func withApplication<Result>(
        _ application: String,
        accessGroups: [String]? = nil,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try Scope(self, as: Self.caller(application, accessGroups)).run(body)
    }

    /// Runs a part of a test that waits as another application; see the form that does not wait.
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
    /// The words *temporary keychain* and the store's directory.
    public var description: String { "temporary keychain at \(directory.path)" }
}
