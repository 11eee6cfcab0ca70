// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@Suite(.serialized) struct ConcurrencyTests {
    private static let processes = 8

    /// Runs each command in a separate process, all at the same time, and returns their output.
    private func run(
        over store: URL,
        _ commands: [String]
    ) throws -> [[String]] {
        let children = try commands.map { _ in try TestTool.start(over: store) }
        defer { for child in children { child.end() } }
        for (child, command) in zip(children, commands) { try child.send(command) }
        return try children.map { child in
            child.finishInput()
            let lines = try child.readLines()
            #expect(try child.wait() == .exited(0))
            return lines
        }
    }

    private func count(in store: URL) throws -> String {
        let child = try TestTool.start(over: store)
        defer { child.end() }
        return try child.ask("count")
    }

    @Test func `processes that open a new store at the same time create one store`() throws {
        for _ in 0..<5 {
            try TestTool.withDirectory { directory in
                let store = directory.appending(component: "store")
                let answers = try run(over: store, (0..<Self.processes).map { "add canary-\($0) canary" })
                #expect(answers == Array(repeating: ["0"], count: Self.processes))
                #expect(try count(in: store) == "\(Self.processes)")
                let files = try FileManager.default.contentsOfDirectory(atPath: store.path)
                #expect(files.filter { $0.contains(".new") } == [])
            }
        }
    }

    @Test func `killing a program while it creates the store does no damage`() throws {
        for _ in 0..<25 {
            try TestTool.withDirectory { directory in
                let store = directory.appending(component: "store")
                let children = try (0..<2).map { _ in try TestTool.start(over: store) }
                defer { for child in children { child.end() } }
                // Waits until both programs run, so that both start their work at the same time.
                for child in children { #expect(try child.ask("cd .") == "0") }
                for child in children { try child.send("fill canary-\(child.process) 2") }
                usleep(.random(in: 0...12_000))
                for child in children { child.end() }
                let next = try TestTool.start(over: store)
                defer { next.end() }
                #expect(try next.ask("add canary canary") == "0")
                #expect(try next.ask("copy canary") == "0 canary")
            }
        }
    }

    @Test func `a writer waits for another with a time limit, and readers do not wait`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let (writer, reader) = (try TestTool.start(over: store), try TestTool.start(over: store))
            defer { for child in [writer, reader] { child.end() } }
            #expect(try writer.ask("add canary-1 canary") == "0")
            let lock = open(store.path + "/writer.lock", O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX) == 0)
            try writer.send("add canary-2 canary")
            #expect(try reader.ask("copy canary-1") == "0 canary")
            usleep(300_000)
            #expect(flock(lock, LOCK_UN) == 0)
            #expect(try writer.readLine() == "0")
            let impatient = try TestTool.start(over: store, environment: ["KEYCHAIN_TEST_WRITER_WAIT": "200"])
            defer { impatient.end() }
            #expect(try impatient.ask("count") == "2")
            #expect(flock(lock, LOCK_EX) == 0)
            #expect(try impatient.ask("add canary-3 canary") == "-25291")
            #expect(flock(lock, LOCK_UN) == 0)
            #expect(try writer.ask("add canary-3 canary") == "0")
        }
    }

    @Test func `exactly one of several processes that add the same item succeeds`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let answers = try run(over: store, (0..<Self.processes).map { _ in "race canary 100" })
            let won = answers.flatMap { $0.filter { $0.hasPrefix("won") } }
            #expect(won.count == 100)
            #expect(Set(won).count == 100)
            #expect(answers.joined().filter { $0.hasPrefix("failed") } == [])
            #expect(try count(in: store) == "100")
        }
    }

    @Test func `concurrent reads and writes of several processes lose nothing and never fail`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let answers = try run(over: store, (0..<Self.processes).map { "work canary-\($0) 200" })
            #expect(answers.joined().filter { !$0.hasPrefix("done") } == [])
            let results = answers.compactMap { $0.last?.split(separator: " ").map { Double($0) ?? 0 } }
            #expect(results.count == Self.processes)
            print("longest of \(Self.processes) processes' calls:", results.map { $0[2] }.max() ?? 0, "ms")
            #expect(results.map { $0[1] } == Array(repeating: 150, count: Self.processes))
            #expect(try count(in: store) == "\(150 * Self.processes)")
            #expect(try Canary.files(in: store) == [])
        }
    }

    @Test func `threads of one process share its keychain`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let lines = try run(over: store, ["threads canary 60"])[0]
            #expect(lines.last == "joined")
            #expect(lines.dropLast().filter { !$0.hasPrefix("done 45 ") } == [])
            #expect(lines.count == 9)
            #expect(try count(in: store) == "\(8 * 45)")
        }
    }

    @Test func `acknowledged items are present after their writer was killed`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            var acknowledged: Set<String> = []
            for round in 0..<25 {
                let children = try (0..<2).map { _ in try TestTool.start(over: store) }
                defer { for child in children { child.end() } }
                for (number, child) in children.enumerated() {
                    try child.send("fill canary-\(round)-\(number) 1000")
                }
                var lines = try (0..<Int.random(in: 1...12)).compactMap { _ in try children[0].readLine() }
                usleep(.random(in: 0...3_000))
                for child in children { child.kill() }
                for child in children {
                    lines += try child.readLines()
                    #expect(lines.filter { $0.hasPrefix("failed") } == [])
                    for line in lines where line.hasPrefix("added ") {
                        acknowledged.insert(String(line.dropFirst(6)))
                    }
                    #expect(child.end() == .killed(SIGKILL))
                }
            }
            let reader = try TestTool.start(over: store)
            defer { reader.end() }
            #expect(acknowledged.count > 25)
            for account in acknowledged { #expect(try reader.ask("copy \(account)") == "0 \(account)") }
            let count = try #require(Int(try reader.ask("count")))
            // A writer can be killed between a commit and its output, so there may be some more items than
            // acknowledged ones.
            #expect((acknowledged.count...acknowledged.count + 50).contains(count))
        }
    }
}
