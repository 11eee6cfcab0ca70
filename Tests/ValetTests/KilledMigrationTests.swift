// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import Glibc
import KeychainTestSupport
import KeychainTestTool
import Testing

/// A process that is killed has migrated everything or nothing.
@Suite struct KilledMigrationTests {
    private static let count = 60
    private static let before = "\(count) 0"
    private static let after = "0 \(count)"

    @Test func `a migration that is killed has happened or has not`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            func ask(_ words: String) throws -> String {
                try TestTool.start(over: store).ask("valet \(words)")
            }
            #expect(try ask("fill \(Self.count)") == "filled")
            // While copies are written, between copies and removals, while sources are removed, and before the end.
            for place in [1, 30, Self.count, Self.count + 1, 2 * Self.count - 1, 2 * Self.count] {
                let child = try TestTool.start(over: store)
                try child.send("valet migrate \(place)")
                #expect(try child.readLine() == nil)
                #expect(child.end() == .killed(SIGKILL))
                #expect(try ask("count") == Self.before, "killed at \(place)")
            }
            // Everything is written, and is being made durable.
            let child = try TestTool.start(over: store)
            try child.send("valet migrate -1")
            #expect(try child.readLine() == "written")
            child.end()
            let left = try ask("count")
            #expect([Self.before, Self.after].contains(left))
            if left == Self.before {
                let child = try TestTool.start(over: store)
                try child.send("valet migrate -1")
                #expect(try child.readLine() == "written")
                #expect(try child.readLine() == "migrated")
            }
            #expect(try ask("count") == Self.after)
        }
    }
}
#endif
