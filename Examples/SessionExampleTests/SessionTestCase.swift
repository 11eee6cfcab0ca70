// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import KeychainTesting
import XCTest

@testable import SessionExample

final class SessionTestCase: KeychainTestCase {
    override var keychainOptions: TemporaryKeychain.Options { .init(passcode: "1234") }

    override func setUpWithError() throws {
        try Session(account: "alice").save("token-1")
    }

    func testLockedKeychainDoesNotLogTheUserOut() throws {
        try TemporaryKeychain.current.lock()
        XCTAssertThrowsError(try Session(account: "alice").token())
    }

    func testTokenIsFoundInTheBackground() async throws {
        let token = try await Task.detached { try Session(account: "alice").token() }.value
        XCTAssertEqual(token, "token-1")
    }
}
