// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainDaemon
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct AuditTests {
    private static func withLog<Result>(
        records count: Int = 5,
        limit: Int = AuditLog.standardLimit,
        _ body: (URL) throws -> Result
    ) throws -> Result {
        try TestTool.withDirectory { directory in
            let log = AuditLog(directory: directory.appending(component: "audit").path, limit: limit)
            for number in 0..<count { log.append(event(number)) }
            return try body(directory.appending(component: "audit"))
        }
    }

    private static func event(_ number: Int) -> AuditEvent {
        var event = AuditEvent(.call(.add), user: 1, process: 2, level: .digest, program: "TEAM.app")
        (event.accessGroup, event.count) = ("group \(number)", number)
        return event
    }

    private static func verify(_ directory: URL) throws -> AuditVerification {
        try AuditLogReader.verify(directory.path)
    }

    private static func change(_ directory: URL, file: UInt64 = 1, _ body: (inout [String]) -> Void) throws {
        let path = directory.appending(component: AuditFile.name(file))
        var lines = try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n")
        body(&lines)
        try lines.joined(separator: "\n").write(to: path, atomically: false, encoding: .utf8)
    }

    @Test func `an unchanged log is valid, and its records are readable`() throws {
        try Self.withLog { directory in
            var groups: [String] = []
            let result = try AuditLogReader.verify(directory.path) { groups.append($0["group"]) }
            #expect(result.damage == nil && result.isAnchored)
            #expect(result.first == 1 && result.head.number == 5)
            #expect(groups == (0..<5).map { "group%20\($0)" })
        }
    }

    @Test func `a changed record is detected`() throws {
        try Self.withLog { directory in
            try Self.change(directory) { $0[3] = $0[3].replacing("group%202", with: "group%207") }
            #expect(try Self.verify(directory).damage == .record(after: 2, file: "000001.log"))
        }
    }

    @Test func `a removed record is detected`() throws {
        try Self.withLog { directory in
            try Self.change(directory) { $0.remove(at: 2) }
            #expect(try Self.verify(directory).damage == .record(after: 1, file: "000001.log"))
        }
    }

    @Test func `swapped records are detected`() throws {
        try Self.withLog { directory in
            try Self.change(directory) { $0.swapAt(2, 3) }
            #expect(try Self.verify(directory).damage == .record(after: 1, file: "000001.log"))
        }
    }

    @Test func `the removal of the last record is detected`() throws {
        try Self.withLog { directory in
            try Self.change(directory) { $0.remove(at: 5) }
            #expect(try Self.verify(directory).damage == .truncated(after: 4, expected: 5))
        }
    }

    @Test func `a truncated record is detected`() throws {
        try Self.withLog { directory in
            try Self.change(directory) { lines in
                lines[5] = String(lines[5].dropLast(10))
                lines.removeLast()
            }
            #expect(try Self.verify(directory).damage == .record(after: 4, file: "000001.log"))
        }
    }

    @Test func `a log file whose first line has the greatest record number is refused`() throws {
        try Self.withLog { directory in
            let path = directory.appending(component: "000002.log")
            let head = AuditHead(number: .max, digest: Bytes32.zero)
            let line = AuditFile.firstLine(2, after: head) + "0 a\n"
            try Data(line.utf8).write(to: path)
            try FileManager.default.removeItem(at: directory.appending(component: "000001.log"))
            #expect(try Self.verify(directory).damage != nil)
        }
    }

    @Test func `the removal of the last record and of the head is detected with a saved head`() throws {
        try Self.withLog { directory in
            let noted = try Self.verify(directory).head
            try Self.change(directory) { $0.remove(at: 5) }
            try FileManager.default.removeItem(at: directory.appending(component: AuditFile.head))
            let result = try Self.verify(directory)
            #expect(result.damage == nil && !result.isAnchored)
            let anchored = try AuditLogReader.verify(directory.path, anchor: noted)
            #expect(anchored.damage == .truncated(after: 4, expected: 5))
        }
    }

    @Test func `rewritten last records are detected with a saved head`() throws {
        try Self.withLog { directory in
            let noted = try Self.verify(directory).head
            try Self.change(directory) { $0.removeSubrange(4...) }
            try FileManager.default.removeItem(at: directory.appending(component: AuditFile.head))
            try Self.change(directory) { $0.append("") }
            let log = AuditLog(directory: directory.path)
            for number in 10..<15 { log.append(Self.event(number)) }
            #expect(try Self.verify(directory).damage == nil)
            #expect(try AuditLogReader.verify(directory.path, anchor: noted).damage == .anchor(5))
        }
    }

    @Test func `a full file is followed by another, and eight are kept`() throws {
        try Self.withLog(records: 200, limit: 2_000) { directory in
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(".log") }.sorted()
            #expect(files.count == AuditFile.kept && files.first != "000001.log")
            let result = try Self.verify(directory)
            #expect(result.damage == nil && result.head.number == 200 && result.first > 1)
            // If the record of a saved number and digest (anchor) was removed with an old file, the anchor confirms
            // nothing.
            let old = AuditHead(number: 1, digest: result.head.digest)
            let anchored = try AuditLogReader.verify(directory.path, anchor: old)
            #expect(anchored.damage == nil && anchored.isAnchorTooOld && !result.isAnchorTooOld)
            // An anchor for the record before the oldest kept file is still compared: that file's first line has its
            // digest.
            let wrong = AuditHead(number: result.first - 1, digest: result.head.digest)
            #expect(try AuditLogReader.verify(directory.path, anchor: wrong).damage == .anchor(wrong.number))
            // Removing an old file, or one between two others, is detected.
            let last = try #require(files.last)
            for file in [files[0], files[3]] {
                let path = directory.appending(component: file)
                let bytes = try Data(contentsOf: path)
                try FileManager.default.removeItem(at: path)
                guard case .file? = try Self.verify(directory).damage else {
                    Issue.record("\(file) is missing, and \(last) is the last one")
                    continue
                }
                try bytes.write(to: path)
            }
            #expect(try Self.verify(directory).damage == nil)
        }
    }

    @Test func `a daemon that was killed while it wrote a record continues the log`() throws {
        try Self.withLog { directory in
            try Self.change(directory) { $0[6] = "6 1234 incomp" }
            let log = AuditLog(directory: directory.path)
            log.append(Self.event(9))
            let result = try Self.verify(directory)
            #expect(result.damage == nil && result.head.number == 6)
        }
    }

    @Test func `changes are refused while the log cannot be written`() throws {
        try TestTool.withDirectory { directory in
            let path = directory.appending(component: "audit")
            let log = AuditLog(directory: path.path)
            try Data().write(to: path)
            #expect(throws: StatusError(.notAvailable, .auditUnavailable)) { try log.prepare() }
            log.append(Self.event(1))
            #expect(!log.works)
            try FileManager.default.removeItem(at: path)
            try log.prepare()
            log.append(Self.event(2))
            #expect(log.works)
            #expect(try Self.verify(path).head.number == 1)
        }
    }

    @Test func `a daemon records connections, changes, reads and refusals, without accounts and values`()
        throws
    {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            #expect(try tool.ask("add canary canary-value") == "0")
            for _ in 0..<5 { #expect(try tool.ask("copy canary") == "0 canary-value") }
            #expect(try tool.ask("add canary canary-value other.group") == "-34018")
            tool.end()
            _ = try daemon.client().daemonStatus()
            #expect(daemon.child.end() == .killed(SIGKILL))
            try daemon.restart()
            daemon.send(SIGTERM)
            #expect(try daemon.child.wait() == .exited(0))
            let directory = URL(filePath: daemon.store.path + ".audit")
            var operations: [String: Int] = [:]
            let result = try AuditLogReader.verify(directory.path) { line in
                operations["\(line["operation"]) \(line["result"])", default: 0] += 1
                #expect(line["level"] == "user-service" || ["start", "stop"].contains(line["operation"]))
            }
            #expect(result.damage == nil && result.isAnchored)
            #expect(operations["add 0"] == 1 && operations["add -34018"] == 1)
            #expect(operations["start 0"] == 2 && operations["stop 0"] == 1)
            #expect((operations["read 0"] ?? 0) <= 2 && (operations["read 0"] ?? 0) >= 1)
            for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                let text = try String(contentsOf: directory.appending(component: file), encoding: .utf8)
                #expect(!text.contains("canary"))
            }
        }
    }

    @Test func `a daemon that is killed has recorded all equal reads but the last 255`() throws {
        try DaemonProcess.with { daemon in
            let client = daemon.client()
            try NumberedItems.add(1, to: client)
            for _ in 0..<300 { #expect(try NumberedItems.isStored(1, in: client)) }
            #expect(daemon.child.end() == .killed(SIGKILL))
            var counts: [Int] = []
            _ = try AuditLogReader.verify(daemon.store.path + ".audit") { line in
                if line["operation"] == "read" { counts.append(Int(line["count"]) ?? 0) }
            }
            // The first read has a record of its own; the next 256 share one, unless a minute ended meanwhile.
            #expect(counts.first == 1 && counts.reduce(0, +) >= 300 - 255)
            #expect(counts == [1, 256] || counts.count > 2)
        }
    }

    @Test func `security audit lists and verifies the log, and finds a changed record`() throws {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            #expect(try tool.ask("add canary canary-value") == "0")
            _ = tool.end()
            daemon.send(SIGTERM)
            #expect(try daemon.child.wait() == .exited(0))
            let directory = daemon.store.path + ".audit"
            let listed = try daemon.security(["audit", "--directory", directory])
            #expect(listed.isSuccess && listed.text.contains("operation=add"))
            let verified = try daemon.security(["audit", "--verify", "--directory", directory])
            #expect(verified.isSuccess && verified.text.contains("are whole"))
            let json = try daemon.security(["audit", "--json", "--directory", directory])
            #expect(json.lines.allSatisfy { $0.hasPrefix("{\"schemaVersion\":1,\"number\":") })
            #expect(json.lines.allSatisfy { DocumentedMembers.describe($0, of: "audit") })
            let verify = ["audit", "--verify", "--json", "--directory", directory]
            let whole = try daemon.security(verify)
            #expect(whole.isSuccess && whole.text.contains("\"isIntact\":true"), "\(whole.text)")
            #expect(DocumentedMembers.describe(whole.text, of: "audit --verify"))
            try Self.change(URL(filePath: directory)) { $0[1] = $0[1].replacing("start", with: "stop") }
            let damaged = try daemon.security(["audit", "--verify", "--directory", directory])
            #expect(damaged.ending == .exited(1) && damaged.text.contains("after 0"))
            let problem = try daemon.security(verify)
            #expect(problem.ending == .exited(1) && problem.text.contains("\"isIntact\":false"))
            #expect(DocumentedMembers.describe(problem.text, of: "audit --verify"), "\(problem.text)")
        }
    }
}
