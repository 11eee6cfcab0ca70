// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import Testing

/// The store as a whole in a test that has one of its own: no call leads to another.
@Suite(.searchedKeychain) struct TestStoreTests {
    private let stored = StoredPassword()

    private func makeStore() throws {
        _ = try SystemKeychain.createStore(at: nil)
    }

    @Test func `the directory is that of the test`() throws {
        #expect(try SystemKeychain.storeDirectory() == SearchedKeychain.directory?.path)
    }

    @Test func `making a keychain finds that of the test`() throws {
        let duplicate = StatusError(.duplicateKeychain, .storeExists)
        #expect(throws: duplicate) { try makeStore() }
        #expect(throws: duplicate) {
            try SystemKeychain.createStore(at: nil, passcode: SecretBytes(text: "canary"))
        }
        guard case .status(let status) = try SystemKeychain.perform(.status) else { return }
        #expect(!status.passcodeIsSet)
    }

    @Test(arguments: [false, true])
    func `after a deletion the next call finds a new one, as does the test`(isMade: Bool) throws {
        try SearchedKeychain.setPasscode()
        #expect(stored.add() == errSecSuccess)
        try SystemKeychain.deleteStore(at: nil)
        if isMade { try makeStore() }
        #expect(find(stored.query).status == errSecItemNotFound)
        #expect(stored.add() == errSecSuccess)
        #expect(find(stored.query).status == errSecSuccess)
        #expect(try SystemKeychain.storeDirectory() == SearchedKeychain.directory?.path)
        // The passcode went with the store, so this one is the first.
        try SearchedKeychain.setPasscode()
        try SearchedKeychain.lock()
        #expect(find(stored.query.adding([kSecReturnData: true])).status == errSecInteractionNotAllowed)
    }

    @Test func `what the test itself does after a deletion is done to the new one`() throws {
        try SearchedKeychain.setPasscode()
        try SystemKeychain.deleteStore(at: nil)
        try SearchedKeychain.setPasscode()
        #expect(try SearchedKeychain.removePasscode() == 0)
    }

    @Test func `a deletion by somebody else is noticed by the next change`() throws {
        #expect(stored.add() == errSecSuccess)
        try SystemKeychain.deleteStore(at: SearchedKeychain.directory?.path)
        #expect(stored.add() == errSecSuccess)
        #expect(stored.add() == errSecDuplicateItem)
    }

    @Test func `a keychain is deleted once`() throws {
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
