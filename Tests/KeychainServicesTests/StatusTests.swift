// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import Testing

@Suite struct StatusTests {
    @Test(arguments: StatusRule.table)
    func `each status has the sentence of the table`(rule: StatusRule) throws {
        let message = try #require(SecCopyErrorMessageString(rule.status.rawValue, nil))
        #expect(String(message) == rule.message)
        #expect(!rule.message.isEmpty)
    }
}
