// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainServices
import KeychainTesting
import Testing

/// Tests cannot access the keychain of the user who runs them.
@Suite struct UserStoreTests {
    @Test func `a program linked with KeychainTesting cannot use the user's keychain`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("KEYCHAIN_HOME")
            let data = NSTemporaryDirectory() + "keychain-\(UUID())"
            setenv("XDG_DATA_HOME", data, 1)
            let item = [kSecClass: kSecClassGenericPassword, kSecAttrService: "canary"] as CFDictionary
            let statuses = [SecItemCopyMatching(item, nil), SecItemAdd(item, nil), SecItemDelete(item)]
            let isMade = FileManager.default.fileExists(atPath: data)
            try? FileManager.default.removeItem(atPath: data)
            exit(statuses.allSatisfy { $0 == errSecNotAvailable } && !isMade ? 0 : 1)
        }
    }
}
