// SPDX-License-Identifier: Apache-2.0

import KeychainControl
package import KeychainServices

/// The API can only answer with a number: what is wrong, where, and what to do about it is found out afterwards.
extension KeychainCalls {
    /// The line under the sentence of a status; `nil` where the sentence says it all.
    static func detail(of status: OSStatus) -> String? {
        guard !isOrdinary(status) else { return nil }
        if let fault = faultOfStore() { return fault }
        if status == errSecInteractionNotAllowed {
            return isLocked
                ? "the keychain is locked for this item; security unlock-keychain opens it"
                : "the item is opened by a person, who cannot be asked: there is no terminal and no display, or no pinentry"
        }
        return StatusDetail.remedy(of: status).map { "\(shownDirectory()): \($0)" }
    }

    /// Whether the status says something about the item or the command, and nothing about the store.
    private static func isOrdinary(_ status: OSStatus) -> Bool {
        [errSecItemNotFound, errSecDuplicateItem, errSecParam, errSecNoSuchAttr, errSecNoSuchKeychain]
            .contains(status)
    }

    /// Whether a passcode would open more than is open now.
    private static var isLocked: Bool {
        let state = try? KeychainControl.status().lockState
        return state == .locked || state == .beforeFirstUnlock
    }

    /// Says what is wrong with the store itself, if it is.
    private static func faultOfStore() -> String? {
        do throws(KeychainControlError) {
            _ = try KeychainControl.status()
            return nil
        } catch {
            return described(error)
        }
    }
}

/// What can be said about a status without a look at the store.
package enum StatusDetail {
    /// What to do where the store can be opened, and a call fails all the same.
    package static func remedy(of status: OSStatus) -> String? {
        switch status {
        case errSecNotAvailable:
            "another process has held writer.lock, or another file of the store, for too long; repeat the command, or end that process"
        case errSecReadOnly:
            "the store can be read but not written; mount its file system for writing, or run chmod u+w on its files"
        case errSecDecode:
            "what was asked for in keychain.db fails authentication and was left as it is; restore keychain.db and device.key from one backup"
        case errSecDiskFull:
            "there is no room left to write keychain.db; free some, and repeat the command"
        case errSecIO:
            "keychain.db, keychain.db-wal or keychain.db-shm cannot be read or written; check the disk that they are on"
        case errSecWrPerm:
            "the system does not let this user change the store; check the owners and modes of the directory and its files"
        default: nil
        }
    }
}
