// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import Testing

@Suite struct ConstantTests {
    @Test(arguments: AttributeRule.table)
    func `each attribute has a constant`(rule: AttributeRule) throws {
        let constant = try #require(ConstantTables.attributes.first { $0.symbol == rule.symbol })
        #expect(constant.value == rule.attribute.name)
    }

    @Test(arguments: ProtectionRule.table)
    func `each protection class has a constant`(rule: ProtectionRule) throws {
        let constant = try #require(ConstantTables.protectionClasses.first { $0.symbol == rule.symbol })
        #expect(constant.value == rule.name)
    }

    @Test func `other constants have Apple's values`() {
        for (constant, value) in ConstantTables.others {
            #expect(constant.value == value, "\(constant.symbol)")
        }
        #expect(ConstantTables.others.count == 139)
    }

    @Test func `each item class constant is the name of an item class`() {
        let classes = [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
            kSecClassIdentity,
        ]
        #expect(classes.map { ItemClass(name: String($0)) } == ItemClass.allCases)
    }
}

@Suite struct StatusTests {
    @Test(arguments: StatusRule.table)
    func `each status has a constant and a message`(rule: StatusRule) throws {
        let row = try #require(ConstantTables.statuses.first { $0.symbol == rule.symbol })
        #expect(row.status == rule.status.rawValue)
        let message = try #require(SecCopyErrorMessageString(row.status, nil))
        #expect(String(message) == rule.message)
        #expect(!rule.message.isEmpty)
    }

    @Test func `statuses in the table are unique`() {
        #expect(Set(StatusRule.table.map(\.status)).count == StatusRule.table.count)
        #expect(Set(StatusRule.table.map(\.symbol)).count == StatusRule.table.count)
    }

    @Test func `status aliases have the value of the status that they stand for`() {
        #expect(ConstantTables.parameterErrors.allSatisfy { $0 == errSecParam })
        #expect(ConstantTables.parameterErrors.count == 15)
        #expect(errSecUnsupportedOperation == errSecUnimplemented)
    }

    @Test func `the message for an unknown status contains its number`() throws {
        let message = try #require(SecCopyErrorMessageString(-12_345, nil))
        #expect(String(message) == "OSStatus -12345")
    }
}
