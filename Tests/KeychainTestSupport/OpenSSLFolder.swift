// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A temporary folder in which a test runs `openssl`, removed on deallocation.
package final class OpenSSLFolder: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(component: "openssl-\(UUID())")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func write(_ data: Data, to name: String) throws {
        try data.write(to: url.appending(component: name))
    }

    package func read(_ name: String) throws -> Data { try Data(contentsOf: url.appending(component: name)) }

    /// Runs `openssl` in the folder and returns its output.
    ///
    /// `arguments` are separated by spaces; each of `more` is one argument, which may contain spaces.
    @discardableResult
    package func openssl(_ arguments: String, _ more: [String] = []) throws -> Data {
        try run(["openssl"] + arguments.split(separator: " ").map(String.init) + more)
    }

    package func opensslAccepts(_ arguments: String) -> Bool { (try? openssl(arguments)) != nil }

    @discardableResult
    package func run(_ command: [String]) throws -> Data {
        // Each run writes its output to separate files, because several tests may share the folder.
        let name = "run-\(UUID())"
        let output = url.appending(component: "\(name).out")
        let errors = url.appending(component: "\(name).err")
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        let script = """
            cd "$1" && output=$2 errors=$3 && shift 3 || exit
            exec "$@" </dev/null >"$output" 2>"$errors"
            """
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", script, "sh", url.path, output.path, errors.path] + command,
            environment: ProcessInfo.processInfo.environment
        )
        defer { process.end() }
        guard try process.wait() == .exited(0) else {
            let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            throw Failure(description: "\(command.joined(separator: " ")): \(said)")
        }
        return try Data(contentsOf: output)
    }
}

extension OpenSSLFolder {
    /// Returns the DER of the first block with this label in a PEM file.
    private func block(_ kind: String, in name: String) throws -> Data {
        let lines = String(decoding: try read(name), as: UTF8.self).split(separator: "\n")
        guard let start = lines.firstIndex(of: "-----BEGIN \(kind)-----"),
            let end = lines[start...].firstIndex(of: "-----END \(kind)-----"),
            let der = Data(base64Encoded: lines[(start + 1)..<end].joined())
        else { throw Failure(description: "\(name) has no \(kind)") }
        return der
    }

    package func certificate(_ name: String) throws -> Data { try block("CERTIFICATE", in: name) }

    /// Returns the PKCS #8 DER of the private key in a PEM file.
    package func privateKey(_ name: String) throws -> Data { try block("PRIVATE KEY", in: name) }

    /// Generates a key and a self-signed certificate in the files `name.key` and `name.pem`.
    package func makeIdentity(_ name: String, key: String = "ec -pkeyopt ec_paramgen_curve:P-256") throws {
        try openssl(
            "req -x509 -nodes -newkey \(key) -keyout \(name).key -out \(name).pem -days 3650 -subj /CN=\(name)"
        )
    }
}
