// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore

/// The keychain that the functions of the API reach: the one place that decides between embedded and daemon.
package enum SystemKeychain {
    /// What a test sets so that the global functions reach its own keychain.
    @TaskLocal package static var override: KeychainConnection?

    private struct Opened: Sendable {
        let connection: KeychainConnection
        let process: pid_t
    }

    private struct OfProcess: Sendable {
        /// The embedded keychain, once it has been opened.
        var opened: Opened?
        /// The directory of the store, if the environment does not name it.
        var directory: String?
        /// What a test sets in its place.
        var override: KeychainConnection?
        /// The caller with the entitlements that the program has stated in code.
        // Not the entitlements: an optional of a structure of optionals, initialized statically, is not nil in release
        // builds of Swift 6.3.1.
        var stated: Caller?
        /// Whether it is decided who the caller is.
        var hasCaller = false

        /// Who calls: what the program has stated counts, and else its file of entitlements.
        mutating func caller() throws(StatusError) -> Caller {
            hasCaller = true
            if let stated { return stated }
            return try Entitlements.callerOfThisProcess()
        }
    }

    private static let ofProcess = ForkSafeMutex(OfProcess())

    /// Leads the threads that have no override of their own to a test's keychain, or back with `nil`.
    package static func overrideInProcess(_ connection: KeychainConnection?) {
        ofProcess.withLock { $0.override = connection }
    }

    /// States the entitlements of this process, in the place of a file.
    ///
    /// - Throws: `invalidParameter` with `entitlementsTooLate` after a call that has used the file.
    package static func use(_ entitlements: Entitlements) throws(StatusError) {
        try ofProcess.withLock { state throws(StatusError) in
            guard !state.hasCaller else { throw StatusError(.invalidParameter, .entitlementsTooLate) }
            state.stated = entitlements.caller(executable: programName)
        }
    }

    /// Directs the calls of this process to the embedded store in a directory; `nil` selects that of the environment.
    package static func useStore(at directory: String?) {
        ofProcess.withLock { state in
            guard state.directory != directory else { return }
            state.directory = directory
            if state.opened?.process == getpid() { state.opened = nil }
        }
    }

    /// The directory of the store that this process uses; undefined for a test's keychain.
    static func directoryInUse() throws(StatusError) -> String {
        if let directory = ofProcess.withLock(\.directory) { return directory }
        return try Environment.storeDirectory()
    }

    /// Carries a request to the keychain, with what was proved for it; only adding an item makes a store.
    package static func perform(
        _ request: Request,
        with authentication: Authentication = .none
    ) throws(StatusError) -> Response {
        do throws(StatusError) {
            return try withConnection(creating: request.createsStore) { connection throws(StatusError) in
                try connection.perform(request, with: authentication)
            }
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return try EmbeddedKeychain.perform(withoutStore: request, for: caller())
        }
    }

    /// Carries changes to the keychain that happen together or not at all; see `Keychain.perform(together:…)`.
    package static func perform(
        together changes: [Request],
        with authentication: Authentication = .none,
        skip: (@Sendable (Int) -> Void)? = nil,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        do throws(StatusError) {
            try withConnection(creating: changes.contains(where: \.createsStore)) {
                connection throws(StatusError) in
                try connection.perform(
                    together: changes,
                    with: authentication,
                    skip: skip,
                    progress: progress
                )
            }
        } catch {
            guard error.reason == .storeMissing, let first = changes.first else { throw error }
            _ = try EmbeddedKeychain.perform(withoutStore: first, for: caller())
        }
    }

    /// The caller that this process is.
    package static func caller() throws(StatusError) -> Caller {
        if let test = connectionOfTest { return test.caller }
        return try ofProcess.withLock { state throws(StatusError) in try state.caller() }
    }

    /// What a test has set, for the task or for the process.
    static var connectionOfTest: KeychainConnection? { override ?? ofProcess.withLock { $0.override } }

    /// Refuses what would reach the keychain of the user who runs tests.
    static func refuseStoreOfUser() throws(StatusError) {
        guard clinux_testing_is_linked() != 0, Environment["KEYCHAIN_HOME"] == nil else { return }
        throw StatusError(.notAvailable, .outsideOfTest)
    }

    static func connection(creating: Bool) throws(StatusError) -> KeychainConnection {
        if let override { return override }
        return try ofProcess.withLock { state throws(StatusError) in
            if let override = state.override { return override }
            try refuseStoreOfUser()
            if let opened = state.opened, opened.process == getpid() { return opened.connection }
            // A forked child must not touch its parent's connection, not even to close it.
            if let inherited = state.opened {
                _ = unsafe Unmanaged.passRetained(inherited.connection.keychain)
            }
            let connection = try openEmbedded(&state, creating: creating)
            state.opened = Opened(connection: connection, process: getpid())
            return connection
        }
    }

    /// Has the embedded keychain opened anew, unless that has happened; what a test has set stays, and the answer is
    /// `false`.
    private static func forget(_ keychain: ObjectIdentifier) -> Bool {
        guard override == nil else { return false }
        return ofProcess.withLock { state in
            guard state.override == nil else { return false }
            if let opened = state.opened, ObjectIdentifier(opened.connection.keychain) == keychain {
                state.opened = nil
            }
            return true
        }
    }

    /// What is open leads to nothing any more, unless it is a parent's.
    static func forgetStoreOfProcess() {
        ofProcess.withLock { if $0.opened?.process == getpid() { $0.opened = nil } }
    }

    private static func openEmbedded(
        _ state: inout OfProcess,
        creating: Bool
    ) throws(StatusError) -> KeychainConnection {
        guard Environment["KEYCHAIN_BACKEND"] ?? "embedded" == "embedded" else {
            throw StatusError(.notAvailable, .backendUnavailable)
        }
        let caller = try state.caller()
        let path: String
        if let directory = state.directory {
            path = directory
        } else {
            path = try Environment.storeDirectory()
        }
        var location = embeddedLocation(path)
        location.isInherited = state.opened != nil
        location.createsIfMissing = creating
        return KeychainConnection(keychain: try EmbeddedKeychain(at: location), caller: caller)
    }

    /// Runs a part of the program on the keychain: locking and passcodes, which are no requests of a caller.
    static func withKeychain<Result>(
        creating: Bool = false,
        _ body: (EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try withConnection(creating: creating) { connection throws(StatusError) in
            try connection.withKeychain(body)
        }
    }

    /// The closure runs twice if the store was removed or restored under us: what is there now is opened, once.
    private static func withConnection<Result>(
        creating: Bool,
        _ body: (KeychainConnection) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        var tried: ObjectIdentifier?
        do throws(StatusError) {
            // Nothing holds it afterwards: what is open is closed before the same files are opened anew.
            let connection = try connection(creating: creating)
            tried = ObjectIdentifier(connection.keychain)
            return try body(connection)
        } catch {
            guard error.status == .notAvailable, error.reason == .databaseReplaced,
                tried.map({ forget($0) }) ?? true
            else { throw error }
        }
        return try body(connection(creating: creating))
    }
}
