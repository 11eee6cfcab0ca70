// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import Glibc
import KeychainTestSupport
import KeychainTestTool
import Testing

@Suite struct KilledMigrationTests {
    /// The number of values in the longer migration; 10,000 values would take minutes in a debug build.
    private static let many =
        ProcessInfo.processInfo.environment["KEYCHAIN_MIGRATION_VALUES"].flatMap(Int.init) ?? 600

    /// Returns the numbers of changes after which the process is killed.
    ///
    /// The process is killed while it writes copies, between copies and removals, while it removes sources, and
    /// before the end. With many values only a few of these points are used.
    private static func changeCounts(_ count: Int) -> [Int] {
        let few = [count * 3 / 4, count, count * 3 / 2]
        return count > 100 ? few : few + [1, 2, count - 1, count + 1, count + 2, count * 2 - 1, count * 2]
    }

    @Test(arguments: [60, many])
    func `a killed migration is complete or has no effect`(count: Int) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            func ask(_ words: String) throws -> String {
                try TestTool.start(over: store).ask("valet \(words)")
            }
            #expect(try ask("fill \(count)") == "filled")
            for changes in Self.changeCounts(count) {
                let child = try TestTool.start(over: store)
                try child.send("valet migrate \(changes)")
                #expect(try child.readLine() == nil)
                #expect(child.end() == .killed(SIGKILL))
                #expect(try ask("where \(count)") == "source", "killed after \(changes) changes")
            }
            // With -1, the process prints "written" before it commits, and is killed at about that time.
            let child = try TestTool.start(over: store)
            try child.send("valet migrate -1")
            #expect(try child.readLine() == "written")
            child.end()
            let left = try ask("where \(count)")
            #expect(left != "neither")
            if left == "source" {
                let child = try TestTool.start(over: store)
                try child.send("valet migrate -1")
                #expect(try child.readLine() == "written")
                #expect(try child.readLine() == "migrated")
            }
            #expect(try ask("where \(count)") == "destination")
        }
    }

    @Test func `an observer of a migration may call the keychain`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store)
            defer { child.end() }
            #expect(try child.ask("valet fill 100") == "filled")
            #expect(try child.ask("valet observe") == "observed 100")
            #expect(try child.ask("valet where 100") == "destination")
        }
    }
}
#endif
