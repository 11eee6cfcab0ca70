// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct DeleteTests {
    @Test func `all matching items are deleted and no others`() throws {
        let calls = try Calls()
        for number in 0..<3 { try calls.add([.account: .string("canary \(number)"), .service: "canary s"]) }
        try calls.add([.account: "canary 0", .service: "canary t"])
        try calls.add([.account: "canary 0", .server: "canary.s"], as: .internetPassword)
        try calls.delete(.generic([.service: "canary s"]))
        #expect(try calls.find(.generic()).map { $0.attributes[.service] } == ["canary t"])
        #expect(try calls.accounts(.internet()) == ["canary 0"])
        #expect(try calls.status().itemCount == 2)
        #expect(try calls.status().tombstoneCount == 0)
    }

    @Test func `a class alone deletes all items in the caller's groups only`() throws {
        let calls = try Calls()
        let other = calls.with(groups: ["TEAM.other"])
        try calls.add([.account: "canary 1"])
        try calls.add([.account: "canary 2", .accessGroup: "TEAM.shared"])
        try calls.add([.account: "canary 3", .synchronizable: 1])
        try other.add([.account: "canary 4"])
        try calls.delete(.generic())
        #expect(try calls.accounts(.generic([:], .any)) == ["canary 3"])
        #expect(try other.accounts(.generic()) == ["canary 4"])
    }

    @Test func `a query without a match is errSecItemNotFound`() throws {
        let calls = try Calls()
        try calls.add([.account: "canary 1"])
        expect(.itemNotFound) { try calls.delete(.generic([.account: "canary 2"])) }
        expect(.itemNotFound) { try calls.delete(.internet()) }
        try calls.delete(.generic())
        expect(.itemNotFound) { try calls.delete(.generic()) }
    }

    @Test func `a deleted item can be added again as a new item`() throws {
        let calls = try Calls()
        let first = try calls.add([.account: "canary 1"])
        try calls.delete(.generic([.account: "canary 1"]))
        let second = try calls.add([.account: "canary 1"])
        #expect(first?.reference != second?.reference)
        expect(.itemNotFound) { _ = try calls.find(.reference(first)) }
    }

    @Test func `a filter by a non-unique, unindexed attribute deletes the matching items`() throws {
        let calls = try Calls()
        for number in 0..<4 {
            try calls.add([.account: .string("canary \(number)"), .creator: .number(Int64(number % 2))])
        }
        try calls.delete(.generic([.creator: 1]))
        #expect(try calls.accounts(.generic()) == ["canary 0", "canary 2"])
        try calls.delete(.generic([.accessible: "ak", .account: "canary 0"]))
        expect(.itemNotFound) { try calls.delete(.generic([.accessible: "ck"])) }
        #expect(try calls.accounts(.generic()) == ["canary 2"])
    }

    @Test func `a deleted item is gone after reopening the store`() throws {
        let calls = try Calls()
        for number in 0..<20 { try calls.add([.account: .string("canary \(number)")]) }
        for number in 0..<19 { try calls.delete(.generic([.account: .string("canary \(number)")])) }
        #expect(try calls.reopened().accounts(.generic()) == ["canary 19"])
        #expect(try calls.reopened().status().itemCount == 1)
    }
}
