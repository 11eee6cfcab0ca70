// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore
import Synchronization

/// The files and the passcode of a temporary keychain.
final class TemporaryStore: Sendable {
    let directory: URL
    let keychain: ReopenableKeychain
    /// The daemon that serves the store to the test's calls; `nil` if they use `keychain`.
    let daemon: StoreDaemon?
    /// The store as the system service serves it; `nil` if the tests do not use the system service.
    private let service: DaemonKeychain?
    /// The test process as the system service has identified it.
    let serviceCaller: Caller?
    private let keyCacheLocations: KeyCacheLocations
    /// The passcode that the test set, and the keychain for which it was set.
    ///
    /// If the program deletes and recreates the keychain, the new one has no passcode.
    private let knownPasscode = Mutex<(text: RedactedString, keychain: EmbeddedKeychain)?>(nil)

    var passcode: String? { passcode(of: keychain.current) }

    /// The cost of key derivation, so low that a derivation takes no noticeable time.
    private static let cost = PasscodeCost(doublings: 4)

    /// A caller without access groups, which may read the status, set a passcode and lock.
    private static let maintenance = Caller(applicationIdentifier: "test", accessGroups: [])

    init(_ options: TemporaryKeychain.Options) throws(TemporaryKeychainError) {
        directory = try Self.makeDirectory(options.location)
        var started: StoreDaemon?
        do throws(StatusError) {
            if StoreDaemon.program != nil { started = try StoreDaemon(serving: directory) }
            daemon = started
            service = StoreDaemon.isOfSystem ? started?.client(for: Self.maintenance) : nil
            serviceCaller = try service.map { service throws(StatusError) in
                let identity = try service.identity().identity
                return Caller(
                    applicationIdentifier: identity.identifier,
                    accessGroups: identity.accessGroups
                )
            }
            // Without a daemon, use no key cache: unlocked keys then stay in this process.
            keyCacheLocations =
                started.map { [.kernelKeyring, .runtimeDirectory($0.runtimeDirectory.path)] } ?? []
            var location = StoreLocation(directory: directory.path)
            location.keyCacheLocations = keyCacheLocations
            keychain = try ReopenableKeychain(at: location)
            if let passcode = options.passcode { try setPasscode(passcode) }
        } catch {
            started?.end()
            try? FileManager.default.removeItem(at: directory)
            throw TemporaryKeychainError(error)
        }
    }

    private static func makeDirectory(
        _ location: TemporaryKeychain.Location
    ) throws(TemporaryKeychainError) -> URL {
        let temporary = FileManager.default.temporaryDirectory
        let parents = location.parent.map { [$0] } ?? [URL(filePath: "/dev/shm"), temporary]
        for parent in parents {
            let directory = parent.appending(component: "keychain-\(UUID())")
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            do {
                try FileManager.default.createDirectory(
                    at: directory,
                    withIntermediateDirectories: false,
                    attributes: attributes
                )
                return directory
            } catch {
                continue
            }
        }
        throw .noDirectory(in: parents.map(\.path).joined(separator: " or "))
    }

    private func passcode(of keychain: EmbeddedKeychain) -> String? {
        knownPasscode.withLock { $0?.keychain === keychain ? $0?.text.text : nil }
    }

    func setPasscode(_ new: String) throws(StatusError) {
        try use { store, keychain throws(StatusError) in
            let old = passcode(of: keychain)
            if let service = store as? DaemonKeychain {
                if let old {
                    try service.changePasscode(from: SecretBytes(text: old), to: SecretBytes(text: new))
                } else {
                    try service.setPasscode(SecretBytes(text: new))
                }
            } else if let old {
                try keychain.changePasscode(
                    from: SecretBytes(text: old),
                    to: SecretBytes(text: new),
                    cost: Self.cost
                )
            } else {
                try keychain.setPasscode(SecretBytes(text: new), cost: Self.cost)
            }
            knownPasscode.withLock { $0 = (RedactedString(new), keychain) }
        }
    }

    /// Calls `body` with the store that the test uses, and with the store that this process has opened.
    ///
    /// They are the same, except with the system service.
    private func use<Result>(
        _ body: (any KeychainBackend, EmbeddedKeychain) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try keychain.use { keychain throws(StatusError) in
            if let service { return try body(service, keychain) }
            return try body(keychain, keychain)
        }
    }

    /// Removes the passcode, by default the one that the test set.
    func removePasscode(_ old: String?) throws(StatusError) -> Int {
        try use { store, keychain throws(StatusError) in
            let count = try store.removePasscode(SecretBytes(text: known(old, of: keychain)))
            knownPasscode.withLock { $0 = nil }
            return count
        }
    }

    func lock() throws(StatusError) {
        try use { store, _ throws(StatusError) in try store.lock() }
    }

    func unlock(_ passcode: String?) throws(StatusError) {
        try use { store, keychain throws(StatusError) in
            try store.unlock(with: SecretBytes(text: known(passcode, of: keychain)))
        }
    }

    private func known(_ passcode: String?, of keychain: EmbeddedKeychain) throws(StatusError) -> String {
        guard let passcode = passcode ?? self.passcode(of: keychain) else {
            throw StatusError(.authenticationFailed, .noPasscode)
        }
        return passcode
    }

    func status() throws(TemporaryKeychainError) -> StoreStatus {
        do throws(StatusError) {
            return try use { store, _ throws(StatusError) in
                guard
                    case .status(let status) = try store.perform(
                        .status,
                        for: Self.maintenance,
                        with: .none
                    )
                else {
                    throw StatusError(.internalInconsistency)
                }
                return status
            }
        } catch {
            throw TemporaryKeychainError(error)
        }
    }

    /// Discards the unlocked keys, like a restart of the machine.
    func restart() throws(TemporaryKeychainError) {
        let status = try status()
        guard status.passcodeIsSet else { return }
        // The keys are in the kernel keyring of the system service's user, so this process cannot discard them.
        guard service == nil else {
            throw TemporaryKeychainError(StatusError(.unimplemented, .notThroughDaemon))
        }
        keyCache(of: status).removeAll()
        do throws(StatusError) {
            // Locking replaces the store's lock epoch, the identifier for which unlocked keys are valid. The open
            // store therefore discards the keys that it holds in memory.
            try lock()
        } catch {
            throw TemporaryKeychainError(error)
        }
    }

    private func keyCache(of status: StoreStatus) -> KeyCache {
        KeyCache(locations: keyCacheLocations, store: status.store)
    }

    func remove() {
        // Locking discards the unlocked keys that the system service keeps in the kernel keyring.
        if let service, passcode != nil { try? service.lock() }
        keychain.close()
        if service == nil, let status = try? status() { keyCache(of: status).removeAll() }
        daemon?.end()
        try? FileManager.default.removeItem(at: directory)
    }
}

extension SecretBytes {
    init(text: String) {
        var bytes = Array(text.utf8)
        self.init(moving: &bytes)
    }
}
