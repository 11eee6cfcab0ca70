// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Removing one of SQLite's files while a program has the store open and another program writes.
@Suite struct RemovedLogTests {
    /// The number of items that each program adds.
    private static let rounds = 6

    /// Lets a program add an item, and returns the account, or `nil` if the call failed.
    ///
    /// The call may fail, because the files have been replaced or do not belong together.
    private func add(_ account: String, by program: ChildProcess) throws -> String? {
        let answer = try program.ask("add \(account) canary")
        #expect(["0", "-25291", "-26275"].contains(answer), "\(account)")
        return answer == "0" ? account : nil
    }

    /// Calls `body` with a program that has a store open and has added one item.
    private func withProgram(_ body: (_ store: URL, _ older: ChildProcess) throws -> Void) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let older = try TestTool.start(over: store)
            defer { older.end() }
            #expect(try older.ask("add canary-old canary") == "0")
            try body(store, older)
        }
    }

    @Test(arguments: [true, false])
    func `no item is lost if the log index is removed`(olderProgramWritesFirst: Bool) throws {
        try withProgram { store, older in
            try FileManager.default.removeItem(at: store.appending(component: "keychain.db-shm"))
            let newer = try TestTool.start(over: store)
            defer { newer.end() }
            let programs = [(name: "older", program: older), (name: "newer", program: newer)]
            let order = olderProgramWritesFirst ? programs : programs.reversed()
            var stored = ["canary-old"]
            for round in 0..<Self.rounds {
                for (name, program) in order {
                    let account = try add("canary-\(name)-\(round)", by: program)
                    stored += [account].compactMap(\.self)
                }
            }
            // The newer program opened the current files, so none of its calls failed. A program that opens the store
            // now finds every item whose addition succeeded.
            #expect(stored.count { $0.hasPrefix("canary-newer") } == Self.rounds)
            let next = try TestTool.start(over: store)
            defer { next.end() }
            for account in stored { #expect(try next.ask("copy \(account)") == "0 canary", "\(account)") }
            #expect(try next.ask("count") == "\(stored.count)")
        }
    }

    /// One thread detects the replaced files and reopens the store while other threads still use the old ones.
    @Test func `concurrent writers continue in the current files`() throws {
        try withProgram { store, older in
            try older.send("threads canary-thread 20")
            try FileManager.default.removeItem(at: store.appending(component: "keychain.db-shm"))
            while try older.readLine() != "joined" {}
            let newer = try TestTool.start(over: store)
            defer { newer.end() }
            #expect(try newer.ask("add canary-new canary") == "0")
            var stored = ["canary-old", "canary-new"]
            for round in 0..<Self.rounds {
                let account = "canary-again-\(round)"
                if try add(account, by: older) != nil { stored.append(account) }
            }
            for program in [older, newer] {
                for account in stored {
                    #expect(try program.ask("copy \(account)") == "0 canary", "\(account)")
                }
            }
            #expect(try older.ask("count") == newer.ask("count"))
        }
    }

    @Test func `nothing is written if the log is removed, and no item is reported missing`() throws {
        try withProgram { store, older in
            try FileManager.default.removeItem(at: store.appending(component: "keychain.db-wal"))
            let newer = try TestTool.start(over: store)
            defer { newer.end() }
            for round in 0..<Self.rounds {
                for (name, program) in [("newer", newer), ("older", older)] {
                    #expect(try program.ask("add canary-\(name)-\(round) canary") != "0")
                    #expect(try program.ask("copy canary-old") != "-25300 ")
                }
            }
            let next = try TestTool.start(over: store)
            defer { next.end() }
            #expect(try next.ask("copy canary-old") != "-25300 ")
            #expect(try next.ask("add canary-next canary") != "0")
        }
    }
}
