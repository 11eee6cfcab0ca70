// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Creates, locks, unlocks and inspects the keychain; Apple has no public API for these operations.
///
/// Every function blocks and is safe to call from any thread. In a test with a temporary keychain, the
/// functions act on that keychain. Besides the errors documented with each function, all fail if the store
/// cannot be used, with `errSecNotAvailable`, `errSecReadOnly`, `errSecWrPerm`, `errSecDiskFull`, `errSecIO`
/// or `errSecDecode`.
public enum KeychainControl {
    /// Creates an empty keychain in a directory, by default in ``directory()``.
    ///
    /// Adding the first item or setting a passcode also creates the keychain in ``directory()``. Programs use a
    /// keychain in another directory if their environment variable `KEYCHAIN_HOME` contains its path. Missing
    /// directories are created with mode 0700.
    ///
    /// - Parameter directory: An absolute path; by default that of ``directory()``.
    /// - Throws: ``KeychainControlError`` with the status `errSecDuplicateKeychain` if the keychain exists.
    ///   In a test with a temporary keychain, a call without a directory always throws this error. If a daemon
    ///   serves the program, a call without a directory throws `errSecUnimplemented`.
    public static func create(at directory: String? = nil) throws(KeychainControlError) {
        do throws(StatusError) {
            _ = try SystemKeychain.createStore(at: directory)
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// Creates a keychain with a passcode and leaves it unlocked.
    ///
    /// If neither the kernel keyring nor the runtime directory can store the unlocked keys, the keychain is
    /// unlocked for this process only, and ``KeychainStatus/keyCache-swift.property`` is
    /// ``KeychainStatus/KeyCache-swift.struct/thisProcess``.
    ///
    /// - Parameters:
    ///   - directory: An absolute path; by default that of ``directory()``.
    ///   - passcode: The passcode, 1 to 1,024 bytes.
    /// - Throws: As ``create(at:)`` and ``setPasscode(_:)``. Nothing is created if the passcode is invalid.
    public static func create(
        at directory: String? = nil,
        passcode: borrowing Passcode
    ) throws(KeychainControlError) {
        do throws(StatusError) {
            try SystemKeychain.createStore(at: directory, passcode: passcode.bytes)
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// Deletes a keychain: all items of all programs, the keys, the passcode and the key caches.
    ///
    /// Use this function when the passcode is forgotten or the store is damaged: it needs neither a passcode nor
    /// a readable store. The items cannot be recovered. At their next call, this program and others that have
    /// the keychain open find no keychain, until adding an item or setting a passcode creates a new one. The
    /// directory remains. If the process is killed during the deletion, the keychain either still exists
    /// completely or is gone.
    ///
    /// - Parameter directory: An absolute path; by default that of ``directory()``.
    /// - Throws: ``KeychainControlError`` with the status `errSecNoSuchKeychain` if there is no keychain, or
    ///   `errSecNotAvailable` if a file of the store belongs to another user or is accessible to other users, or
    ///   `errSecUnimplemented` for a call without a directory if a daemon serves the program. In these cases,
    ///   nothing is deleted.
    public static func delete(at directory: String? = nil) throws(KeychainControlError) {
        do throws(StatusError) {
            try SystemKeychain.deleteStore(at: directory)
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// Returns the status of the keychain in ``directory()``.
    ///
    /// The call neither creates the keychain nor needs a passcode, and decrypts no item.
    ///
    /// - Returns: The status at the time of the call.
    /// - Throws: ``KeychainControlError``, whose description names the file at fault and says what to do;
    ///   `errSecNoSuchKeychain` if there is no keychain yet; `errSecMissingEntitlement` if the program's
    ///   entitlements file cannot be read.
    public static func status() throws(KeychainControlError) -> KeychainStatus {
        do throws(StatusError) {
            let directory = try SystemKeychain.storeDirectory()
            guard case .status(let status) = try SystemKeychain.perform(.status) else {
                throw StatusError(.internalInconsistency)
            }
            return KeychainStatus(status, directory: directory, level: try SystemKeychain.callerLevel())
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// The directory of the keychain that this process uses, whether or not it exists.
    ///
    /// - Returns: An absolute path: `KEYCHAIN_HOME`, else `keychain` in `XDG_DATA_HOME`, else
    ///   `~/.local/share/keychain`. If a daemon serves the program, the directory of the daemon's socket.
    /// - Throws: ``KeychainControlError`` with `errSecNotAvailable` if there is no home directory,
    ///   `KEYCHAIN_HOME` is a relative path, or a variable is not UTF-8.
    public static func directory() throws(KeychainControlError) -> String {
        do throws(StatusError) {
            return try SystemKeychain.storeDirectory()
        } catch {
            throw KeychainControlError(recording: error)
        }
    }
}
