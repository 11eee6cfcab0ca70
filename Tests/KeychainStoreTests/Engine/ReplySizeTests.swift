// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct ReplySizeTests {
    private let tooLarge = StatusError(.dataTooLarge, .tooMuchWork)

    @Test func `a search for items above the limit fails`() throws {
        let calls = try Calls()
        for number in 0..<4 { try calls.add([.account: .string("\(number)")]) }
        let filter = ItemFilter(itemClass: .genericPassword)
        #expect(throws: tooLarge) {
            try ReplySize.limited(to: 400) { () throws(StatusError) in try calls.find(filter) }
        }
        let found = try ReplySize.limited(to: 4_000) { () throws(StatusError) in try calls.find(filter) }
        #expect(found.count == 4)
    }

    @Test func `attributes count, unless they are not requested`() throws {
        let calls = try Calls()
        let comment = AttributeValue.string(String(repeating: "c", count: 2_000))
        for number in 0..<4 { try calls.add([.account: .string("\(number)"), .comment: comment]) }
        let filter = ItemFilter(itemClass: .genericPassword)
        #expect(throws: tooLarge) {
            try ReplySize.limited(to: 4_000) { () throws(StatusError) in try calls.find(filter) }
        }
        let found = try ReplySize.limited(to: 4_000) { () throws(StatusError) in
            try calls.find(filter, returning: .data)
        }
        #expect(found.count == 4)
    }

    @Test func `a search for identities above the limit fails`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1))
        for number in 1...4 { try halves.add(Halves.certificate(number, of: 1)) }
        let request = CopyIdentitiesRequest(filter: Halves.filter(), limit: .all, returning: .everything)
        let (keychain, caller) = (halves.calls.keychain, halves.calls.caller)
        #expect(throws: tooLarge) {
            try ReplySize.limited(to: 400) { () throws(StatusError) in
                try keychain.perform(.copyIdentities(request), for: caller)
            }
        }
        #expect(try halves.find(Halves.filter()).count == 4)
    }
}
