// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The tests of the wrappers must also compile on Apple's platforms.
@Suite struct WrapperTestTests {
    private static let folders = [
        "KeychainValetTests", "KeychainFXKeychainTests", "KeychainLockboxTests",
        "KeychainWrapperSupportTests",
        "KeychainWrapperTestSupport",
    ]
    /// The modules that these tests may import: those that exist, or have a substitute, on Apple's platforms.
    private static let modules: Set<String> = [
        "Foundation", "Testing", "Synchronization", "KeychainServices", "Valet", "FXKeychain", "Lockbox",
        "KeychainWrapperSupport", "KeychainWrapperTestSupport",
    ]
    /// Linux-only names that the allowed modules declare.
    private static let names = [
        "TemporaryKeychain", "SecItemAddTogether", "SystemKeychain", "KeychainControl",
    ]

    /// Returns the lines that are compiled on Apple's platforms.
    ///
    /// Conditions other than `canImport(Darwin)` are assumed to be true.
    static func appleLines(of text: String) -> [Substring] {
        var lines: [Substring] = []
        // For each enclosing `#if`: whether it tests the platform, and whether it is true on Apple's platforms.
        var conditions: [(isPlatform: Bool, holds: Bool)] = []
        for line in text.split(separator: "\n") {
            let code = line.drop { $0 == " " }
            if code.hasPrefix("#if ") {
                let isPlatform = code.hasSuffix("canImport(Darwin)")
                conditions.append((isPlatform, !code.contains("!canImport(Darwin)") || !isPlatform))
            } else if code.hasPrefix("#else"), let last = conditions.popLast() {
                conditions.append((last.isPlatform, last.isPlatform ? !last.holds : true))
            } else if code.hasPrefix("#endif") {
                _ = conditions.popLast()
            } else if conditions.allSatisfy(\.holds), !code.hasPrefix("//") {
                lines.append(line)
            }
        }
        return lines
    }

    @Test(arguments: folders)
    func `tests use Linux-only names only in Linux-only code`(folder: String) throws {
        let files = try SourceFile.tests().filter { $0.name.hasPrefix("\(folder)/") }
        try #require(!files.isEmpty)
        for file in files {
            let apple = SourceFile(
                name: file.name,
                text: Self.appleLines(of: file.text).joined(separator: "\n")
            )
            for module in apple.imports {
                #expect(Self.modules.contains(module), "\(file.name) imports \(module)")
            }
            for name in Self.names where apple.text.contains(name) {
                Issue.record("\(file.name) names \(name)")
            }
        }
    }

    @Test func `Linux-only code is recognized by its condition`() {
        let text = """
            import A
            #if canImport(Darwin)
            import B
            #else
            import C
            #endif
            #if !canImport(Darwin)
            import D
            #if os(macOS)
            import E
            #endif
            #else
            import F
            #endif
            // import G
            """
        #expect(Self.appleLines(of: text) == ["import A", "import B", "import F"])
    }
}
