// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A certificate from `Tests/Fixtures/certificates`, or one generated with openssl.
package struct CertificateFile: Sendable, CustomStringConvertible {
    package let url: URL

    package init(_ url: URL) { self.url = url }

    package var description: String { url.deletingPathExtension().lastPathComponent }

    package func data() throws -> Data { try Data(contentsOf: url) }

    package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/certificates").standardizedFileURL

    package static func named(_ name: String) -> Self { Self(folder.appending(component: name + ".der")) }

    package static func all() throws -> [Self] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "der" }
            .sorted { $0.path < $1.path }
            .map { Self($0) }
    }
}

extension CertificateFile {
    package func openssl(_ options: String...) throws -> [String] {
        try Self.run("openssl", ["x509", "-in", url.path, "-inform", "DER", "-noout"] + options)
    }

    /// Returns the fields of the certificate as `read_certificate.py`, an independent parser, reads them.
    package func secondReading() throws -> SecondReading {
        let script = Self.folder.appending(component: "read_certificate.py").path
        let lines = try Self.run("python3", [script, url.path])
        return try JSONDecoder().decode(SecondReading.self, from: Data(lines.joined().utf8))
    }

    /// The fields of a certificate, as hexadecimal digits.
    package struct SecondReading: Decodable {
        package let version: Int
        package let serialNumber, issuer, subject, normalizedIssuer, normalizedSubject: String
        package let subjectPublicKeyInfo, publicKeyHash: String
        package let subjectKeyIdentifier: String?
    }

    /// Generates a key and a self-signed certificate in a folder.
    ///
    /// `key` has options of `openssl genpkey`, `subject` and `extensions` have lines of an openssl configuration,
    /// and `mask` is openssl's `string_mask`.
    package static func make(
        in folder: URL,
        key: [String],
        subject: [String],
        extensions: [String] = ["subjectKeyIdentifier = hash"],
        mask: String = "utf8only"
    ) throws -> Self {
        let name = UUID().uuidString
        let keyFile = folder.appending(component: name + ".pem")
        let configuration = folder.appending(component: name + ".cnf")
        let certificate = folder.appending(component: name + ".der")
        let request = [
            "[req]", "prompt = no", "distinguished_name = name", "string_mask = \(mask)", "utf8 = yes",
            "x509_extensions = ext", "[ext]",
        ]
        let lines = request + extensions + ["[name]"] + subject
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: configuration)
        _ = try run("openssl", ["genpkey", "-out", keyFile.path] + key)
        let files = ["-key", keyFile.path, "-config", configuration.path, "-out", certificate.path]
        _ = try run("openssl", ["req", "-x509", "-new", "-days", "30", "-outform", "DER"] + files)
        return Self(certificate)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> [String] {
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$@\" 2>/dev/null", "sh", program] + arguments,
            environment: ProcessInfo.processInfo.environment
        )
        let lines = try process.readLines()
        guard try process.wait() == .exited(0) else {
            throw ChildProcess.Failure(description: "\(program) \(arguments.joined(separator: " ")) failed")
        }
        return lines
    }
}
