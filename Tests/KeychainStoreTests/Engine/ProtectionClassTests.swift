// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct ProtectionClassTests {
    private static let withoutPasscode = ProtectionRule.table.filter { !$0.needsPasscode }
    private static let withPasscode = ProtectionRule.table.filter(\.needsPasscode)

    @Test(arguments: withoutPasscode)
    func `an item of each protection class can be opened and returns its class`(rule: ProtectionRule) throws {
        let calls = try Calls()
        try calls.add([.account: "canary a", .accessible: .string(rule.name)])
        let item = try #require(try calls.reopened().find(.generic()).first)
        #expect(item.attributes[.accessible] == .string(rule.name))
        #expect(item.accessControl == AccessControl(protection: rule.protection))
        #expect(item.secret == SecretBuffer("canary secret".utf8))
    }

    @Test(arguments: withPasscode)
    func `adding an item of the passcode class fails without a passcode`(rule: ProtectionRule) throws {
        let calls = try Calls()
        expect(.authenticationFailed) {
            try calls.add([.account: "canary a", .accessible: .string(rule.name)])
        }
        expect(.authenticationFailed) {
            try calls.add(
                [.account: "canary a"],
                nil,
                accessControl: AccessControl(protection: rule.protection, flags: 0)
            )
        }
        #expect(try calls.status().itemCount == 0)
        expect(.itemNotFound) { _ = try calls.find(.generic([.accessible: .string(rule.name)])) }
    }

    @Test func `the passcode class is rejected even for a duplicate`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary a"])
        expect(.authenticationFailed) { try calls.add([.account: "canary a", .accessible: "akpu"]) }
    }

    @Test func `a protection class filters but is not part of the primary key`() throws {
        let calls = try Calls()
        for rule in Self.withoutPasscode {
            try calls.add([.account: .string("canary \(rule.name)"), .accessible: .string(rule.name)])
            expect(.duplicateItem) {
                try calls.add([.account: .string("canary \(rule.name)"), .accessible: "dk"])
            }
        }
        for rule in Self.withoutPasscode {
            #expect(
                try calls.accounts(.generic([.accessible: .string(rule.name)])) == ["canary \(rule.name)"]
            )
        }
        try calls.delete(.generic([.accessible: "ck"]))
        #expect(try calls.accounts(.generic()).count == Self.withoutPasscode.count - 1)
    }

    @Test(arguments: ["", "AK", "ak ", "f"]) func `an unknown protection class is rejected`(
        name: String
    ) throws {
        let calls = try Calls()
        expect(.invalidParameter) { try calls.add([.account: "canary a", .accessible: .string(name)]) }
        #expect(try calls.status().itemCount == 0)
    }
}
