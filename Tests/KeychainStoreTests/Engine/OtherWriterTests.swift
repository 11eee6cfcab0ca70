// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct OtherWriterTests {
    static let filters: [ItemFilter] = [
        .generic(), .generic([.service: "canary s"]), .generic([.service: "canary s", .account: "canary a"]),
        .generic([.label: "canary label"]), .generic([:], .any),
    ]

    @Test(arguments: filters)
    func `a query sees writes of another connection`(_ filter: ItemFilter) throws {
        let reader = try Calls()
        let writer = try reader.reopened()
        #expect(try reader.accounts(filter) == [])

        try writer.add([.service: "canary s", .account: "canary a", .label: "canary label"])
        #expect(try reader.accounts(filter) == ["canary a"])

        try writer.delete(.generic())
        #expect(try reader.accounts(filter) == [])
    }
}
