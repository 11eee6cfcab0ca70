// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainEngine
package import KeychainModel
import Synchronization

/// A keychain together with who asks.
package struct KeychainConnection: Sendable {
    package let keychain: Keychain
    package let caller: Caller

    package init(keychain: Keychain, caller: Caller) {
        self.keychain = keychain
        self.caller = caller
    }
}

/// The keychain that the functions of the API reach: the one place that decides between embedded and daemon.
package enum SystemKeychain {
    /// What a test sets so that the global functions reach its own keychain.
    @TaskLocal package static var override: KeychainConnection?

    private struct Opened: Sendable {
        let connection: KeychainConnection
        let process: pid_t
    }

    /// The embedded keychain of this process, once it has been opened.
    private static let opened = Mutex<Opened?>(nil)

    /// Carries a request to the keychain, with what was proved for it.
    package static func perform(
        _ request: Request,
        with authentication: Authentication = .none
    ) throws(KeychainError) -> Response {
        let connection = try connection()
        let credential = authentication.credential
        do throws(KeychainError) {
            return try connection.keychain.perform(request, for: connection.caller, with: credential)
        } catch {
            // The store was removed or restored under us: what is there now is opened, once.
            guard error.reason == .databaseReplaced, override == nil else { throw error }
            opened.withLock { $0 = nil }
            let connection = try self.connection()
            return try connection.keychain.perform(request, for: connection.caller, with: credential)
        }
    }

    /// The caller that this process is.
    package static func caller() throws(KeychainError) -> Caller { try connection().caller }

    private static func connection() throws(KeychainError) -> KeychainConnection {
        if let override { return override }
        return try opened.withLock { opened throws(KeychainError) in
            if let opened, opened.process == getpid() { return opened.connection }
            // A forked child must not touch its parent's connection, not even to close it.
            if let inherited = opened { _ = unsafe Unmanaged.passRetained(inherited.connection.keychain) }
            let connection = try openEmbedded(inherited: opened != nil)
            opened = Opened(connection: connection, process: getpid())
            return connection
        }
    }

    private static func openEmbedded(inherited: Bool) throws(KeychainError) -> KeychainConnection {
        guard Environment["KEYCHAIN_BACKEND"] ?? "embedded" == "embedded" else {
            throw KeychainError(.notAvailable, .backendUnavailable)
        }
        let caller = try Entitlements.callerOfThisProcess()
        var location = StoreLocation(directory: try storeDirectory())
        location.isInherited = inherited
        location.keyHolders = keyHolders()
        return KeychainConnection(keychain: try Keychain(at: location), caller: caller)
    }

    /// Where unlocked keys of the embedded store may be, the best place first.
    package static func keyHolders() -> [KeyHolderPlace] {
        var places = [KeyHolderPlace.kernelKeyring]
        if let directory = Environment.runtimeDirectory() { places.append(.runtimeDirectory(directory)) }
        return places
    }

    /// Runs a part of the program on the keychain: locking and passcodes, which are no requests of a caller.
    ///
    /// The closure may run twice, if the store was removed or restored under us.
    static func withKeychain<Result>(
        _ body: (Keychain) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let connection = try connection()
        do throws(KeychainError) {
            return try body(connection.keychain)
        } catch {
            guard error.reason == .databaseReplaced, override == nil else { throw error }
            opened.withLock { $0 = nil }
            return try body(self.connection().keychain)
        }
    }

    /// The directory of the embedded store, whether or not it exists.
    package static func storeDirectory() throws(KeychainError) -> String { try Environment.storeDirectory() }

    /// Makes an embedded store; fails with `duplicateKeychain` where there is one.
    package static func createStore(at directory: String?) throws(KeychainError) -> Keychain {
        let standard = try storeDirectory()
        let directory = directory ?? standard
        guard unsafe access(directory + "/" + StoreLocation.databaseName, F_OK) != 0 else {
            throw KeychainError(.duplicateKeychain, .storeExists)
        }
        var location = StoreLocation(directory: directory)
        location.keyHolders = keyHolders()
        return try Keychain(at: location)
    }
}
