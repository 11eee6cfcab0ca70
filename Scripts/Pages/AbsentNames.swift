// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The declarations of Apple that Documentation/Compatibility.md lists as missing.
struct AbsentNames {
    /// Returns the names in the first column of the table of missing names; prefixes end in `…`.
    static func listed() throws -> [String] {
        let url = PackageFiles.root.appending(path: "Documentation/Compatibility.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let section =
            page.components(separatedBy: "\n## Missing names\n").dropFirst().first?
            .components(separatedBy: "\n## ").first ?? ""
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .flatMap { row in
                // Names in parentheses are exceptions to a prefix, and not missing.
                let names = row.split(separator: "|")[0].replacing(/\([^)]*\)/, with: "")
                return names.matches(of: /`([^`]+)`/).map { String($0.1) }
            }
    }

    static func declared() throws -> Set<String> {
        let kinds =
            /^(?:public|open) (?:final |@\w+ |nonisolated\(unsafe\) )*(?:func|let|var|class|struct|enum|typealias) (\w+)/
        let names = try PackageFiles.swift(in: "Sources")
            .filter { $0.path.hasPrefix("KeychainServices/") }
            .flatMap { file in
                file.lines.compactMap {
                    $0.replacing("@safe ", with: "").firstMatch(of: kinds).map { String($0.1) }
                }
            }
        return Set(names)
    }
}

extension Checks {
    /// Checks that no name which the page lists as missing is declared.
    mutating func absentNames() throws {
        let (listed, declared) = (try AbsentNames.listed(), try AbsentNames.declared())
        expect(listed.count > 40, "Compatibility.md: its absent names are not found")
        for name in ["SecItemAdd", "kSecAttrAccount", "SecTrust", "LAContext", "SecKeychain"] {
            expect(declared.contains(name), "\(name) is not found in the sources")
        }
        for name in listed where !name.hasSuffix("…") {
            expect(!declared.contains(name), "Compatibility.md: \(name) is there")
        }
        for start in listed where start.hasSuffix("…") {
            // `SecKeychain` is declared, because `SecItemImport` has a parameter of this type.
            let found = declared.filter { $0.hasPrefix(start.dropLast()) && $0 != "SecKeychain" }
            expect(found.isEmpty, "Compatibility.md: of \(start) there is \(found.sorted())")
        }
    }
}
