// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// What Apple's framework has no call for: making a keychain, its passcode, locking, and asking how it is.
///
/// Every call blocks and is safe from any thread. In a test with a temporary keychain that one is meant. Beside what a call
/// says of itself, each fails where the store cannot be used: with `errSecNotAvailable`, `errSecReadOnly`, `errSecWrPerm`,
/// `errSecDiskFull`, `errSecIO` or `errSecDecode`.
public enum KeychainControl {
    /// Makes the keychain of this process's environment, or the one in the given directory.
    ///
    /// The first item that is added, and the first passcode, make the keychain of the environment anyway. One in another
    /// directory is used by programs whose `KEYCHAIN_HOME` names it. Missing directories are made, with mode 0700.
    ///
    /// - Parameter directory: An absolute path; by default that of ``directory()``.
    /// - Throws: ``KeychainControlError``; its status is `errSecDuplicateKeychain` where there is one already, as in a test
    ///   that has a temporary keychain, and no directory is given.
    public static func create(at directory: String? = nil) throws(KeychainControlError) {
        do throws(StatusError) {
            _ = try SystemKeychain.createStore(at: directory)
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// Makes a keychain that has a passcode from the start, and leaves it unlocked.
    ///
    /// Where neither the kernel's keyring nor the runtime directory keeps the unlocked keys, it is unlocked for this process
    /// alone: ``KeychainStatus/keyCache-swift.property`` is ``KeychainStatus/KeyCache-swift.struct/thisProcess`` then.
    ///
    /// - Parameters:
    ///   - directory: An absolute path; by default that of ``directory()``.
    ///   - passcode: 1 to 1,024 bytes.
    /// - Throws: As ``create(at:)`` and ``setPasscode(_:)``. Nothing is made for a passcode that is refused.
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

    /// Deletes the keychain of this process's environment, or the one in the given directory: every item of every
    /// program, the keys, the passcode, and the unlocked keys in key caches.
    ///
    /// Use it when the passcode is forgotten or the store is damaged: it needs neither a passcode nor a readable store. The
    /// items cannot be recovered. At their next call, this program and others that have the keychain open find no keychain,
    /// until adding an item or setting a passcode creates a new one. The directory stays. A process that is killed during
    /// the deletion leaves the whole keychain or none of it.
    ///
    /// - Parameter directory: An absolute path; by default that of ``directory()``.
    /// - Throws: ``KeychainControlError``; its status is `errSecNoSuchKeychain` where there is none, and
    ///   `errSecNotAvailable` where a file is another user's or open to others: nothing is touched then.
    public static func delete(at directory: String? = nil) throws(KeychainControlError) {
        do throws(StatusError) {
            try SystemKeychain.deleteStore(at: directory)
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// Opens the keychain of this process's environment and reports what it is; makes none.
    ///
    /// It needs no passcode, and opens no item.
    ///
    /// - Returns: What is true at the moment of the call.
    /// - Throws: ``KeychainControlError``, whose description names the file at fault and says what to do;
    ///   `errSecNoSuchKeychain` where there is no keychain yet; also `errSecMissingEntitlement` where the program's file of
    ///   entitlements cannot be read.
    public static func status() throws(KeychainControlError) -> KeychainStatus {
        do throws(StatusError) {
            let directory = try SystemKeychain.storeDirectory()
            guard case .status(let status) = try SystemKeychain.perform(.status) else {
                throw StatusError(.internalInconsistency)
            }
            return KeychainStatus(status, directory: directory)
        } catch {
            throw KeychainControlError(recording: error)
        }
    }

    /// The directory of the keychain of this process's environment, whether or not there is one.
    ///
    /// - Returns: `KEYCHAIN_HOME`, else `keychain` in `XDG_DATA_HOME`, else `~/.local/share/keychain`: an absolute path.
    /// - Throws: ``KeychainControlError`` with `errSecNotAvailable` if there is no home directory, `KEYCHAIN_HOME` is a
    ///   relative path, or a variable is not UTF-8.
    public static func directory() throws(KeychainControlError) -> String {
        do throws(StatusError) {
            return try SystemKeychain.storeDirectory()
        } catch {
            throw KeychainControlError(recording: error)
        }
    }
}
