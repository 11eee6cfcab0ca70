// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

/// A temporary home directory for the command and its store, removed on deallocation.
final class TemporaryHome: Sendable {
    let directory: String

    /// The runtime directory of the test's user, which must be in memory for keys to be cached there.
    let runtime: String

    var store: String { directory + "/store" }

    init() throws {
        let path = (NSTemporaryDirectory() as NSString).appendingPathComponent("security-tests-XXXXXX")
        var template = Array(path.utf8CString)
        guard mkdtemp(&template) != nil else { throw ToolProcess.Unstarted(code: errno) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        template = Array("/dev/shm/security-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ToolProcess.Unstarted(code: errno) }
        runtime = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The words of at least six bytes in the command lines and inputs of ``security``, ``shell`` and ``run``.
    ///
    /// The store must not contain them in plaintext.
    private let words = Mutex<Set<String>>(["canary"])

    deinit {
        searchStore()
        for folder in [directory, runtime] { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Words that may be in the store: they occur in every database.
    private static let allowed: Set = [
        "SQLite", "access", "attribute", "attributes", "autoindex", "content", "database", "digest",
        "digests", "format", "identity", "protection", "secret", "synchronizable", "tombstone", "version",
    ]

    /// Searches the store's files for the words of the commands.
    private func searchStore() {
        let files = FileManager.default.enumerator(atPath: store)?.compactMap { $0 as? String } ?? []
        let contents = files.compactMap { FileManager.default.contents(atPath: store + "/" + $0) }
        let found = words.withLock(\.self).subtracting(Self.allowed).filter { word in
            contents.contains { $0.range(of: Data(word.utf8)) != nil }
        }
        #expect(found.isEmpty, "readable in the store's files")
    }

    private func note(_ text: String) {
        let parts = text.split { !($0.isLetter || $0.isNumber) }.map(String.init)
        words.withLock { $0.formUnion(parts.filter { $0.utf8.count >= 6 }) }
    }

    var environment: [String: String] {
        [
            "PATH": "\(ToolProcess.products):/usr/bin:/bin",
            "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
            "HOME": directory, "KEYCHAIN_HOME": store, "XDG_RUNTIME_DIR": runtime, "LC_ALL": "C.UTF-8",
            "TZ": "Pacific/Auckland",
        ]
    }

    func security(_ arguments: String..., input: [UInt8] = []) throws -> ToolProcess.Result {
        try run(ToolProcess.executable, arguments, input: input)
    }

    /// Runs a shell command line in which `security` is the built command.
    func shell(_ line: String) throws -> ToolProcess.Result {
        try run("/bin/sh", ["-c", line], input: [])
    }

    /// Runs a shell command line with `set -e`; throws if its exit code is not 0.
    func run(_ line: String, at location: SourceLocation = #_sourceLocation) throws {
        let result = try shell("set -e; \(line)")
        try #require(result.code == 0, "\(result.complaintsText)", sourceLocation: location)
    }

    private func run(_ program: String, _ arguments: [String], input: [UInt8]) throws -> ToolProcess.Result {
        for argument in arguments { note(argument) }
        note(String(decoding: input, as: UTF8.self))
        let name = directory + "/" + UUID().uuidString
        try Data(input).write(to: URL(fileURLWithPath: name + ".input"))
        let process = try ToolProcess(
            program,
            arguments,
            environment: environment,
            input: name + ".input",
            output: name + ".output",
            complaints: name + ".complaints"
        )
        let code = try process.wait()
        return ToolProcess.Result(
            output: try Array(Data(contentsOf: URL(fileURLWithPath: name + ".output"))),
            complaints: try Array(Data(contentsOf: URL(fileURLWithPath: name + ".complaints"))),
            code: code
        )
    }
}
