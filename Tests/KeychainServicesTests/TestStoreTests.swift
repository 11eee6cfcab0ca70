// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import Testing

/// Creating and deleting the store of a test's temporary keychain.
@Suite(.searchedKeychain) struct TestStoreTests {
    private let stored = StoredPassword()

    private func makeStore() throws {
        _ = try SystemKeychain.createStore(at: nil)
    }

    @Test func `the reported directory is the directory of the test's store`() throws {
        #expect(try SystemKeychain.storeDirectory() == SearchedKeychain.directory?.path)
    }

    @Test func `creating an existing keychain returns errSecDuplicateKeychain`() throws {
        let duplicate = StatusError(.duplicateKeychain, .storeExists)
        #expect(throws: duplicate) { try makeStore() }
        #expect(throws: duplicate) {
            try SystemKeychain.createStore(at: nil, passcode: SecretBytes(text: "canary"))
        }
        guard case .status(let status) = try SystemKeychain.perform(.status) else { return }
        #expect(!status.passcodeIsSet)
    }

    @Test(arguments: [false, true])
    func `after a deletion, calls use a new store`(isMade: Bool) throws {
        try SearchedKeychain.setPasscode()
        #expect(stored.add() == errSecSuccess)
        try SystemKeychain.deleteStore(at: nil)
        if isMade { try makeStore() }
        #expect(find(stored.query).status == errSecItemNotFound)
        #expect(stored.add() == errSecSuccess)
        #expect(find(stored.query).status == errSecSuccess)
        #expect(try SystemKeychain.storeDirectory() == SearchedKeychain.directory?.path)
        // Deleting the store deleted its passcode, so this call sets a first passcode.
        try SearchedKeychain.setPasscode()
        try SearchedKeychain.lock()
        #expect(find(stored.query.adding([kSecReturnData: true])).status == errSecInteractionNotAllowed)
    }

    @Test func `after a deletion, the test helpers use the new store`() throws {
        try SearchedKeychain.setPasscode()
        try SystemKeychain.deleteStore(at: nil)
        try SearchedKeychain.setPasscode()
        #expect(try SearchedKeychain.removePasscode() == 0)
    }

    @Test func `the next change detects a deletion by another process`() throws {
        #expect(stored.add() == errSecSuccess)
        try SystemKeychain.deleteStore(at: SearchedKeychain.directory?.path)
        #expect(stored.add() == errSecSuccess)
        #expect(stored.add() == errSecDuplicateItem)
    }

    @Test func `deleting a deleted keychain returns errSecNoSuchKeychain`() throws {
        try SystemKeychain.deleteStore(at: nil)
        #expect(throws: StatusError(.noSuchKeychain, .storeMissing)) {
            try SystemKeychain.deleteStore(at: nil)
        }
    }
}

extension SecretBytes {
    fileprivate init(text: String) {
        var bytes = Array(text.utf8)
        self.init(moving: &bytes)
    }
}
