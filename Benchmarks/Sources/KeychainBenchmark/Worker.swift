// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainServices

/// The work of a child process, which finds the stores through environment variables.
enum Worker {
    struct Result: Codable {
        var operations = 0
        var failures = 0
        /// The longest operation in microseconds.
        var longest = 0.0
        var elapsed = 0.0
        var megabytes = 0.0
    }

    /// The number of items in the store that readers choose from.
    static let size = 10_000

    static func run(_ arguments: [String]) throws {
        let result: Result
        switch arguments[0] {
        case "first-read":
            let elapsed = try microseconds(1) { _ in
                try StoreSubject().read(service: Items.service(4_711), account: Items.account(4_711))
            }
            result = Result(operations: 1, elapsed: elapsed)
        case "read-all":
            let store = try StoreSubject()
            for item in 0..<size {
                try store.read(service: Items.service(item), account: Items.account(item))
            }
            result = Result(operations: size, megabytes: try residentMegabytes())
        case "repeat":
            result = Result(elapsed: try Repetition(Array(arguments.dropFirst())).run())
        default:
            guard let seconds = Double(arguments[1]), let number = Int(arguments[2]) else {
                throw BenchmarkError("a worker needs a duration and a number")
            }
            result = try work(arguments[0], seconds: seconds, number: number)
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(result))
    }

    static func measure(_ name: String) throws -> Result {
        let child = try Child(Child.ownPath, ["worker", name], environment: Stores.environment)
        return try JSONDecoder().decode(Result.self, from: child.finish())
    }

    private static func residentMegabytes() throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
            throw BenchmarkError("no VmRSS")
        }
        return kilobytes / 1_024
    }

    /// Does one operation, reports that it is ready, waits for a line, and then repeats the operation for some
    /// seconds.
    private static func work(_ kind: String, seconds: Double, number: Int) throws -> Result {
        let operation: (Int) throws -> Void
        switch kind {
        case "read":
            let queries = (0..<size).map {
                Subject.query(service: Items.service($0), account: Items.account($0)) as CFDictionary
            }
            operation = { try Subject.read(queries[Items.scattered($0 + number * 131, among: size)]) }
            // A search is cached only when it is repeated.
            for item in 0..<3 * size { try operation(item) }
        case "read-reference":
            let store = try CReferenceStore()
            try ready()
            return try readReference(store, seconds: seconds, first: number * 131)
        default:
            // Each process adds items with accounts of its own.
            operation = { try Subject.add($0, account: account($0, of: number, kind)) }
        }
        try operation(0)
        try ready()
        return repeatOperation(operation, seconds: seconds)
    }

    static func account(_ item: Int, of process: Int, _ kind: String) -> String {
        "\(kind) \(process) \(item)"
    }

    private static func ready() throws {
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        _ = try FileHandle.standardInput.read(upToCount: 1)
    }

    private static func readReference(
        _ store: CReferenceStore,
        seconds: Double,
        first: Int
    ) throws -> Result {
        let start = reference_now()
        let count = reference_reads_until(store.store, start + Int64(seconds * 1e9), first, size)
        guard count >= 0 else { throw BenchmarkError("the C reference failed") }
        return Result(operations: Int(count), elapsed: Double(reference_now() - start) / 1_000)
    }

    /// Repeats the operation for some seconds, starting with number 1; number 0 was done before.
    private static func repeatOperation(_ operation: (Int) throws -> Void, seconds: Double) -> Result {
        var result = Result(operations: 1)
        let start = reference_now()
        let end = start + Int64(seconds * 1e9)
        var now = start
        while now < end {
            do { try operation(result.operations) } catch {
                result.failures += 1
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
            let next = reference_now()
            result.longest = max(result.longest, Double(next - now) / 1_000)
            result.operations += 1
            now = next
        }
        result.elapsed = Double(now - start) / 1_000
        return result
    }
}
