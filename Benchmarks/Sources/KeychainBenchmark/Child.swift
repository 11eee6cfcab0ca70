// SPDX-License-Identifier: Apache-2.0

import Foundation

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

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func ask(_ line: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        return try awaitLine()
    }

    /// Sends the line for which the child waits before it starts its work.
    func start() throws -> Self {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        return self
    }

    @discardableResult
    func awaitLine() throws -> String {
        var answer: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: answer, as: UTF8.self) }
            answer.append(byte)
        }
        throw BenchmarkError("a child ended early")
    }

    func finish() throws -> Data {
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(process.arguments ?? []) failed")
        }
        return data
    }
}
