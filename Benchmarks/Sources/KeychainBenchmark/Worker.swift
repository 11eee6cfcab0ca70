// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Limits

/// What a child process does; it inherits the places of the stores in its environment.
enum Worker {
    struct Result: Codable {
        var operations = 0
        var failures = 0
        /// In microseconds.
        var longest = 0.0
        var elapsed = 0.0
    }

    static func run(_ arguments: [String]) throws {
        let result: Result
        switch arguments[0] {
        case "first-read": result = try firstRead { try EngineSubject().read(account: $0) }
        case "first-read-limit":
            result = try firstRead { account in
                let limit = try LimitSubject()
                try limit.read(account: account, service: Subject.service)
            }
        case "read", "read-limit", "write", "write-limit":
            guard let seconds = Double(arguments[1]) else { throw BenchmarkError("no duration") }
            result = try work(arguments[0], seconds: seconds, name: arguments[2])
        default: throw BenchmarkError("unknown worker")
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(result))
    }

    /// Starts a worker for one figure.
    static func measure(_ name: String) throws -> Double {
        let child = try Child(Child.ownPath, ["worker", name], environment: environment)
        return try JSONDecoder().decode(Result.self, from: child.finish()).elapsed
    }

    static var environment: [String: String] {
        Place.environment(subject: Stores.subject, limit: Stores.limit)
    }

    private static func firstRead(_ body: (String) throws -> Void) throws -> Result {
        let elapsed = try microseconds(1) { _ in try body(Subject.account(4_711)) }
        return Result(operations: 1, elapsed: elapsed)
    }

    private static func work(_ kind: String, seconds: Double, name: String) throws -> Result {
        let operation: (Int) throws -> Void
        switch kind {
        case "read":
            let names = Names(10_000)
            operation = { try Subject.read(account: names.accounts[names.place($0)]) }
        case "read-limit":
            let (names, limit) = (Names(10_000), try LimitSubject())
            operation = { try limit.read(account: names.pointers[names.place($0)], service: names.service) }
        case "write":
            operation = { try Subject.add(account: "\(name) \($0)", Subject.secret($0)) }
        default:
            let limit = try LimitSubject()
            operation = { try limit.add(account: "\(name) \($0)", Subject.secret($0)) }
        }
        try operation(0)
        FileHandle.standardOutput.write(Data([0]))
        _ = try FileHandle.standardInput.read(upToCount: 1)
        return repeatOperation(operation, seconds: seconds)
    }

    /// Repeats until the time is over; the operation with number 0 is done already.
    private static func repeatOperation(_ operation: (Int) throws -> Void, seconds: Double) -> Result {
        var result = Result(operations: 1)
        let start = limit_now()
        let end = start + Int64(seconds * 1e9)
        var now = start
        while now < end {
            do { try operation(result.operations) } catch {
                result.failures += 1
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
            let next = limit_now()
            result.longest = max(result.longest, Double(next - now) / 1_000)
            result.operations += 1
            now = next
        }
        result.elapsed = Double(now - start) / 1_000
        return result
    }
}
