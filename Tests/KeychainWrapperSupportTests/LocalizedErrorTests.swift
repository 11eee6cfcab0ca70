// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import Lockbox
import Testing

@testable import Valet

#if !canImport(Darwin)
import KeychainControl
#endif
#if !canImport(Darwin)
import KeychainTesting
#endif

/// The `localizedDescription` of errors, for programs that only know `Error`.
@Suite struct LocalizedErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: any Error
        let sentence: String
        let testDescription: String

        init<Failure: Error>(_ error: Failure, _ sentence: String) {
            self.error = error
            self.sentence = sentence
            testDescription = "\(Failure.self): \(sentence)"
        }
    }

    static let rows: [Row] = wrapperRows + linuxRows

    private static var wrapperRows: [Row] {
        let (fxKeychain, lockbox) = (FXKeychainError.unlockNeeded, LockboxError.unlockNeeded)
        let failure = KeychainFailure(.itemNotFound, status: errSecItemNotFound, .read)
        let codable: [CodableValueError] = [.notEncodable(type: "Canary"), .notDecodable(type: "Canary")]
        return [
            Row(fxKeychain, fxKeychain.message), Row(lockbox, lockbox.message), Row(failure, failure.message),
        ] + codable.map { Row($0, $0.description) } + KeychainError.allCases.map { Row($0, $0.message) }
            + MigrationError.allCases.map { Row($0, $0.errorDescription ?? "") }
    }

    #if canImport(Darwin)
    private static let linuxRows: [Row] = []
    #else
    private static var linuxRows: [Row] {
        let (control, temporary) = (
            KeychainControlError.missingSensor, TemporaryKeychainError.noTemporaryKeychain
        )
        return [Row(control, control.description), Row(temporary, temporary.description)]
    }
    #endif

    @Test(arguments: rows)
    func `the localized description of an error is its own message`(row: Row) {
        #expect(!row.sentence.isEmpty)
        #expect(row.error.localizedDescription == row.sentence)
    }
}

extension FXKeychainError {
    fileprivate static var unlockNeeded: Self { Self(status: errSecInteractionNotAllowed) }
}

extension LockboxError {
    fileprivate static var unlockNeeded: Self { Self(status: errSecInteractionNotAllowed) }
}
