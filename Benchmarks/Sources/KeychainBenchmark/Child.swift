// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that was started, with its input and output in our hands.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    static let ownPath: String = {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return path ?? CommandLine.arguments[0]
    }()
    static let ownDirectory = URL(fileURLWithPath: ownPath).deletingLastPathComponent().path

    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the first byte that the child writes.
    func awaitReadiness() throws {
        guard try output.fileHandleForReading.read(upToCount: 1)?.count == 1 else {
            throw BenchmarkError("a child ended early")
        }
    }

    /// Lets a waiting child go.
    func start() throws { try input.fileHandleForWriting.write(contentsOf: Data([0])) }

    /// Waits for the end of the child and returns the rest of its output.
    func finish() throws -> Data {
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(process.arguments ?? []) failed")
        }
        return data
    }
}
