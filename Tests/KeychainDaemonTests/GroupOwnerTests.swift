// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// The teams that own application groups.
@Suite struct GroupOwnerTests {
    @Test func `a group belongs to the team that claims it first`() throws {
        try TestTool.withDirectory { directory in
            let owners = GroupOwners(directory: directory.path + "/store")
            #expect(owners.claim("group.one", for: "FIRST"))
            #expect(!owners.claim("group.one", for: "SECOND"))
            #expect(owners.claim("group.two", for: "SECOND"))
            #expect(owners.claim("group.one", for: "FIRST"))
        }
    }

    @Test(arguments: ["FIRST group.on", "FIRST", ""])
    func `a line that was not written completely gives a group to no team`(rest: String) throws {
        try TestTool.withDirectory { directory in
            let owners = GroupOwners(directory: directory.path)
            #expect(owners.claim("group.zero", for: "FIRST"))
            let file = directory.appending(component: "groups")
            try Data((String(contentsOf: file, encoding: .utf8) + rest).utf8).write(to: file)
            #expect(owners.claim("group.two", for: "SECOND"))
            #expect(!owners.claim("group.two", for: "THIRD"))
            #expect(owners.claim("group.on", for: "THIRD"))
            #expect(!owners.claim("group.zero", for: "THIRD"))
        }
    }
}
