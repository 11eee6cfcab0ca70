// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore
import Synchronization

/// The keychain that the API uses: the store in this process, or a daemon.
package enum SystemKeychain {
    @TaskLocal private static var ofTask: KeychainConnection?
    /// Whether ``with(_:_:)`` was ever called: testing this is cheaper than reading a task local value.
    private static let hasTaskKeychain = Atomic(false)

    /// The keychain that replaces the process's keychain in this task; `nil` outside of ``with(_:_:)``.
    package static var override: KeychainConnection? {
        hasTaskKeychain.load(ordering: .relaxed) ? ofTask : nil
    }

    /// Calls a closure during which a keychain replaces the process's keychain in this task.
    ///
    /// Tests, ``withEveryGroup(_:)`` and ``detach(_:)`` use this function.
    package static func with<Result>(
        _ connection: KeychainConnection?,
        _ body: () throws -> Result
    ) rethrows -> Result {
        hasTaskKeychain.store(true, ordering: .relaxed)
        return try $ofTask.withValue(connection, operation: body)
    }

    package static func with<Result>(
        _ connection: KeychainConnection?,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        hasTaskKeychain.store(true, ordering: .relaxed)
        return try await $ofTask.withValue(connection, operation: body)
    }

    private struct Opened: Sendable {
        let connection: KeychainConnection
        let process: pid_t
    }

    private struct OfProcess: Sendable {
        /// The open connection to the embedded store or the daemon; `nil` if none is open.
        var opened: Opened?
        /// The directory that ``useStore(at:)`` has set; `nil` if the environment selects the directory.
        var directory: String?
        /// A test's keychain, which replaces the process's keychain in all threads.
        var override: KeychainConnection?
        /// The caller with the entitlements that the program has stated in code; `nil` if it has stated none.
        // Store the caller instead of an optional `Entitlements`. In release builds of Swift 6.3.1, a statically
        // initialized optional is not `nil` if it wraps a structure of optionals.
        var stated: Caller?
        /// Whether the caller has been determined; from then on, its entitlements cannot be stated in code.
        var hasCaller = false

        /// Returns the caller, from the stated entitlements or else from the entitlements file.
        mutating func caller() throws(StatusError) -> Caller {
            hasCaller = true
            if let stated { return stated }
            return try Entitlements.callerOfThisProcess()
        }
    }

    private static let ofProcess = ForkSafeMutex(OfProcess())

    /// Replaces the keychain in all threads; `nil` ends the replacement.
    ///
    /// A task's own ``override`` takes precedence.
    package static func overrideInProcess(_ connection: KeychainConnection?) {
        ofProcess.withLock { $0.override = connection }
    }

    /// Sets the entitlements of this process, instead of those in a file.
    ///
    /// - Throws: `invalidParameter` with `entitlementsTooLate` if an earlier call has determined the caller.
    package static func use(_ entitlements: Entitlements) throws(StatusError) {
        try ofProcess.withLock { state throws(StatusError) in
            guard !state.hasCaller else { throw StatusError(.invalidParameter, .entitlementsTooLate) }
            state.stated = entitlements.caller(executable: programName)
        }
    }

    /// Makes this process use a store directory; `nil` selects the directory of the environment.
    package static func useStore(at directory: String?) {
        ofProcess.withLock { state in
            guard state.directory != directory else { return }
            state.directory = directory
            if state.opened?.process == ProcessID.current { state.opened = nil }
        }
    }

    /// Returns the directory of the store that this process uses, ignoring a keychain that a test has set.
    static func directoryInUse() throws(StatusError) -> String {
        if let directory = ofProcess.withLock(\.directory) { return directory }
        return try Environment.storeDirectory()
    }

    /// Performs a request; a missing store is created only by a request that can add an item.
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

    /// Performs changes in one transaction; see `EmbeddedKeychain.perform(together:…)`.
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

    package static func caller() throws(StatusError) -> Caller {
        if let override { return override.caller }
        let known = try ofProcess.withLock { state throws(StatusError) -> Caller? in
            if let override = state.override { return override.caller }
            // Reuse the caller: reading the entitlements file on each call would cost more than a cached read of an
            // item.
            if let opened = state.opened, opened.process == ProcessID.current {
                return opened.connection.caller
            }
            guard try Backend.daemon(namesStore: state.directory != nil) == nil else { return nil }
            return try state.caller()
        }
        if let known { return known }
        return try connection(creating: false).caller
    }

    /// The keychain that ``override`` or ``overrideInProcess(_:)`` has set; `nil` if none is set.
    static var connectionOfTest: KeychainConnection? { override ?? ofProcess.withLock { $0.override } }

    /// Throws in a test if the call would reach the user's own keychain.
    static func refuseStoreOfUser() throws(StatusError) {
        guard clinux_testing_is_linked() != 0, Environment["KEYCHAIN_HOME"] == nil else { return }
        throw StatusError(.notAvailable, .outsideOfTest)
    }

    static func connection(creating: Bool) throws(StatusError) -> KeychainConnection {
        if let override { return override }
        return try ofProcess.withLock { state throws(StatusError) in
            if let override = state.override { return override }
            try refuseStoreOfUser()
            if let connection = state.opened?.connection, state.opened?.process == ProcessID.current {
                return connection
            }
            // A forked child must not touch its parent's connection, not even to close it.
            if let inherited = state.opened {
                inherited.connection.leak()
            }
            let connection = try open(&state, creating: creating)
            state.opened = Opened(connection: connection, process: ProcessID.current)
            return connection
        }
    }

    /// Makes the next call reopen the embedded keychain, unless another thread has reopened it.
    ///
    /// - Returns: `false` if ``override`` or ``overrideInProcess(_:)`` has set the keychain.
    private static func discard(_ keychain: ObjectIdentifier) -> Bool {
        guard override == nil else { return false }
        return ofProcess.withLock { state in
            guard state.override == nil else { return false }
            if let opened = state.opened, opened.connection.identifier == keychain {
                state.opened = nil
            }
            return true
        }
    }

    /// Closes the connection to a store whose files were deleted or replaced.
    ///
    /// A connection that a parent process opened stays open.
    static func discardStoreOfProcess() {
        ofProcess.withLock { if $0.opened?.process == ProcessID.current { $0.opened = nil } }
    }

    private static func open(
        _ state: inout OfProcess,
        creating: Bool
    ) throws(StatusError) -> KeychainConnection {
        guard let address = try Backend.daemon(namesStore: state.directory != nil) else {
            return try openEmbedded(&state, creating: creating)
        }
        let daemon = DaemonKeychain(at: address, claim: try state.caller())
        let identity = try daemon.identity().identity
        let caller = Caller(
            applicationIdentifier: identity.identifier,
            accessGroups: identity.accessGroups
        )
        return KeychainConnection(daemon: daemon, caller: caller)
    }

    /// Returns the address of the daemon that serves this process; `nil` if the process opens the store
    /// itself.
    static func daemonInUse() throws(StatusError) -> DaemonAddress? {
        if let test = connectionOfTest { return test.daemon?.address }
        return try ofProcess.withLock { state throws(StatusError) in
            if let opened = state.opened, opened.process == ProcessID.current {
                return opened.connection.daemon?.address
            }
            return try Backend.daemon(namesStore: state.directory != nil)
        }
    }

    private static func openEmbedded(
        _ state: inout OfProcess,
        creating: Bool
    ) throws(StatusError) -> KeychainConnection {
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

    /// Calls `body` with the process's keychain, for operations that are not requests.
    static func withKeychain<Result>(
        creating: Bool = false,
        _ body: (any KeychainBackend) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try withConnection(creating: creating) { connection throws(StatusError) in
            try connection.withKeychain(body)
        }
    }

    /// Calls `body` with the connection; if the store's files were deleted or replaced, reconnects and repeats once.
    private static func withConnection<Result>(
        creating: Bool,
        _ body: (KeychainConnection) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        var tried: ObjectIdentifier?
        do throws(StatusError) {
            // Release the connection at the end of this scope, so that its files are closed before they are
            // opened again.
            let connection = try connection(creating: creating)
            do throws(StatusError) {
                return try body(connection)
            } catch {
                tried = connection.identifier
                throw error
            }
        } catch {
            guard error.status == .notAvailable, error.reason == .databaseReplaced,
                tried.map({ discard($0) }) ?? true
            else { throw error }
        }
        return try body(connection(creating: creating))
    }
}

/// The ID of this process, cached to avoid a system call for each use.
///
/// The ID is in a page of memory that the kernel clears in a child process, even if the child was created by a direct
/// system call instead of `fork()`. Call `current` only while holding a lock.
@safe private enum ProcessID {
    nonisolated(unsafe) private static let page: UnsafeMutablePointer<pid_t>? = {
        let size = sysconf(CInt(_SC_PAGESIZE))
        let access = PROT_READ | PROT_WRITE
        guard let start = unsafe mmap(nil, size, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        guard unsafe madvise(start, size, MADV_WIPEONFORK) == 0 else {
            unsafe munmap(start, size)
            return nil
        }
        return unsafe start.bindMemory(to: pid_t.self, capacity: 1)
    }()

    static var current: pid_t {
        guard let page = unsafe page else { return getpid() }
        if unsafe page.pointee == 0 { unsafe page.pointee = getpid() }
        return unsafe page.pointee
    }
}
