// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainStore
import Synchronization

/// The files of a temporary keychain, and what unlocks them.
final class TemporaryStore: Sendable {
    let directory: URL
    let keychain: ReopenableKeychain
    /// What the test knows the passcode to be, and of which keychain: one that is made anew has none.
    private let knownPasscode = Mutex<(text: HiddenText, keychain: EmbeddedKeychain)?>(nil)

    var passcode: String? { passcode(of: keychain.current) }

    /// Enough for a test, and no more: deriving the key takes no time that could be felt.
    private static let cost = PasscodeCost(doublings: 4)

    init(_ options: TemporaryKeychain.Options) throws(TemporaryKeychainError) {
        directory = try Self.makeDirectory(options.place)
        do throws(StatusError) {
            // No place for unlocked keys is named, so they stay in this process.
            keychain = try ReopenableKeychain(at: StoreLocation(directory: directory.path))
            if let passcode = options.passcode { try setPasscode(passcode) }
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw TemporaryKeychainError(error)
        }
    }

    private static func makeDirectory(
        _ place: TemporaryKeychain.Place
    ) throws(TemporaryKeychainError) -> URL {
        let temporary = FileManager.default.temporaryDirectory
        let parents = place.parent.map { [$0] } ?? [URL(filePath: "/dev/shm"), temporary]
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
        try keychain.use { keychain throws(StatusError) in
            if let old = passcode(of: keychain) {
                try keychain.changePasscode(
                    from: SecretBytes(text: old),
                    to: SecretBytes(text: new),
                    cost: Self.cost
                )
            } else {
                try keychain.setPasscode(SecretBytes(text: new), cost: Self.cost)
            }
            knownPasscode.withLock { $0 = (HiddenText(new), keychain) }
        }
    }

    /// Removes a passcode, by default the one that the test knows.
    func removePasscode(_ old: String?) throws(StatusError) -> Int {
        try keychain.use { keychain throws(StatusError) in
            let count = try keychain.removePasscode(SecretBytes(text: known(old, of: keychain)))
            knownPasscode.withLock { $0 = nil }
            return count
        }
    }

    func lock() throws(StatusError) {
        try keychain.use { keychain throws(StatusError) in try keychain.lock() }
    }

    func unlock(_ passcode: String?) throws(StatusError) {
        try keychain.use { keychain throws(StatusError) in
            try keychain.unlock(with: SecretBytes(text: known(passcode, of: keychain)))
        }
    }

    private func known(_ passcode: String?, of keychain: EmbeddedKeychain) throws(StatusError) -> String {
        guard let passcode = passcode ?? self.passcode(of: keychain) else {
            throw StatusError(.authenticationFailed, .noPasscode)
        }
        return passcode
    }

    func status() throws(TemporaryKeychainError) -> StoreStatus {
        // Whoever asks for the status may reach nothing else.
        let nobody = Caller(applicationIdentifier: "test", accessGroups: [])
        do throws(StatusError) {
            return try keychain.use { keychain throws(StatusError) in
                guard case .status(let status) = try keychain.perform(.status, for: nobody) else {
                    throw StatusError(.internalInconsistency)
                }
                return status
            }
        } catch {
            throw TemporaryKeychainError(error)
        }
    }

    /// Forgets the unlocked keys, as a restart of the machine does.
    func restart() throws(TemporaryKeychainError) {
        let status = try status()
        guard status.passcodeIsSet else { return }
        keyCache(of: status).removeAll()
        do throws(StatusError) {
            // With a new lock state go the keys that the open store has at hand.
            try lock()
        } catch {
            throw TemporaryKeychainError(error)
        }
    }

    private func keyCache(of status: StoreStatus) -> KeyCache { KeyCache(locations: [], store: status.store) }

    func remove() {
        keychain.close()
        if let status = try? status() { keyCache(of: status).removeAll() }
        try? FileManager.default.removeItem(at: directory)
    }
}

extension SecretBytes {
    /// The UTF-8 bytes of a text.
    init(text: String) {
        var bytes = Array(text.utf8)
        self.init(moving: &bytes)
    }
}
