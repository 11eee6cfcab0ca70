// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A folder in which the `openssl` program makes real files, gone with the object.
package final class OpenSSLFolder: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(component: "openssl-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the program with arguments that are separated by spaces, and returns what it prints.
    @discardableResult
    package func callAsFunction(_ arguments: String, _ more: [String] = []) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init) + more
        process.currentDirectoryURL = folder
        let output = Pipe()
        let errors = folder.appending(component: "errors-\(UUID())")
        try Data().write(to: errors)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = try String(contentsOf: errors, encoding: .utf8)
            throw Failure(description: "openssl \(arguments) \(more): \(text)")
        }
        return data
    }

    /// The bytes of a file that a command made.
    package func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(component: name))
    }

    package func write(_ data: Data, _ name: String) throws {
        try data.write(to: folder.appending(component: name))
    }

    /// A certificate of a PEM file, in DER.
    package func certificate(_ name: String) throws -> Data { try self("x509 -outform DER -in \(name)") }

    /// A key and a certificate that it signs itself, in files called after it.
    package func makeIdentity(_ name: String, key: String = "ec -pkeyopt ec_paramgen_curve:P-256") throws {
        try self(
            "req -x509 -nodes -newkey \(key) -keyout \(name).key -out \(name).pem -days 3650 -subj /CN=\(name)"
        )
    }
}
