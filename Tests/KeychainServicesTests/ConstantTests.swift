// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import Testing

@Suite struct ConstantTests {
    @Test(arguments: AttributeRule.table)
    func `each attribute has its constant`(rule: AttributeRule) throws {
        let constant = try #require(ConstantTables.attributes.first { $0.symbol == rule.symbol })
        #expect(constant.value == rule.attribute.name)
    }

    @Test(arguments: ProtectionRule.table)
    func `each protection class has its constant`(rule: ProtectionRule) throws {
        let constant = try #require(ConstantTables.protectionClasses.first { $0.symbol == rule.symbol })
        #expect(constant.value == rule.name)
    }

    @Test func `every other constant has Apple's value`() {
        for (constant, value) in ConstantTables.others {
            #expect(constant.value == value, "\(constant.symbol)")
        }
        #expect(ConstantTables.others.count == 139)
    }

    @Test func `each class has the name that the model knows`() {
        let classes = [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
            kSecClassIdentity,
        ]
        #expect(classes.map { ItemClass(name: String($0)) } == ItemClass.allCases)
    }
}

@Suite struct StatusTests {
    @Test(arguments: StatusRule.table)
    func `each status has its constant and its sentence`(rule: StatusRule) throws {
        let row = try #require(ConstantTables.statuses.first { $0.symbol == rule.symbol })
        #expect(row.status == rule.status.rawValue)
        let message = try #require(SecCopyErrorMessageString(row.status, nil))
        #expect(String(message) == rule.message)
        #expect(!rule.message.isEmpty)
    }

    @Test func `no status is in the table twice`() {
        #expect(Set(StatusRule.table.map(\.status)).count == StatusRule.table.count)
        #expect(Set(StatusRule.table.map(\.symbol)).count == StatusRule.table.count)
    }

    @Test func `other names have the same number`() {
        #expect(ConstantTables.parameterErrors.allSatisfy { $0 == errSecParam })
        #expect(ConstantTables.parameterErrors.count == 15)
        #expect(errSecUnsupportedOperation == errSecUnimplemented)
    }

    @Test func `an unknown status is named by its number`() throws {
        let message = try #require(SecCopyErrorMessageString(-12_345, nil))
        #expect(String(message) == "OSStatus -12345")
    }
}
