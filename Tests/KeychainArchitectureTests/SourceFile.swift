// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

struct SourceFile: Sendable {
    /// The path relative to the searched folder.
    let name: String
    let text: String
    /// The lines of the file that are not comments.
    let code: [Substring]
    let imports: Set<String>

    init(name: String, text: String) {
        self.name = name
        self.text = text
        code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        // Only lines with "import " are matched, because regular expressions are slow.
        imports = Set(Self.onLinux(code).filter { $0.contains("import ") }.compactMap(Self.importedModule))
    }

    /// Drops the imports of an `#else` branch, which replace FoundationEssentials where that module does not
    /// exist.
    private static func onLinux(_ code: [Substring]) -> [Substring] {
        code.indices.filter { index in
            index < 2 || code[index - 1] != "#else"
                || !code[index - 2].hasSuffix("import FoundationEssentials")
        }.map { code[$0] }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL
    static let sources = root.appending(path: "Sources")

    private static let allSources = Result { try swiftFiles(in: sources) }
    private static let allTests = Result { try swiftFiles(in: root.appending(path: "Tests")) }

    static func all(under layer: String? = nil) throws -> [SourceFile] {
        let files = try allSources.get()
        try #require(!files.isEmpty)
        return files.filter { layer == nil || $0.name.hasPrefix("\(layer ?? "")/") }
    }

    static func scripts() throws -> [SourceFile] { try swiftFiles(in: root.appending(path: "Scripts")) }

    static func tests() throws -> [SourceFile] { try allTests.get() }

    private static func swiftFiles(in folder: URL) throws -> [SourceFile] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".swift") }
            .map {
                SourceFile(
                    name: $0,
                    text: try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
                )
            }
    }

    private static func importedModule(in line: Substring) -> String? {
        let pattern =
            /^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|func|typealias)\s+)?(\w+)/
        return line.firstMatch(of: pattern).map { String($0.1) }
    }
}

/// The manifest as `swift package describe` prints it.
struct Manifest: Decodable {
    struct Target: Decodable {
        let name: String
        let targets: [String]
        let products: [String]

        private enum Key: String, CodingKey {
            case name, targets = "target_dependencies", products = "product_dependencies"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            name = try container.decode(String.self, forKey: .name)
            targets = try container.decodeIfPresent([String].self, forKey: .targets) ?? []
            products = try container.decodeIfPresent([String].self, forKey: .products) ?? []
        }
    }

    let targets: [Target]

    static let targets = Result {
        // Uses a separate scratch folder, because `swift test` holds the lock of the usual one.
        let scratch = FileManager.default.temporaryDirectory.appending(component: "describe-\(UUID())")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec swift package \"$@\" 2>/dev/null", "sh", "--package-path", SourceFile.root.path,
                "--scratch-path", scratch.path, "describe", "--type", "json",
            ],
            environment: ProcessInfo.processInfo.environment
        )
        defer { process.end() }
        let data = Data(try process.readLines().joined(separator: "\n").utf8)
        let manifest = try JSONDecoder().decode(Manifest.self, from: data)
        return Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
    }
}
