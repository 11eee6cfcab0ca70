// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The tests of the wrappers are compiled on Apple's platforms too.
@Suite struct WrapperTestTests {
    private static let folders = [
        "KeychainValetTests", "KeychainFXKeychainTests", "KeychainLockboxTests",
        "KeychainWrapperSupportTests",
        "KeychainWrapperTestSupport",
    ]
    /// What a file may import there.
    private static let modules: Set<String> = [
        "Foundation", "Testing", "Synchronization", "KeychainServices", "Valet", "FXKeychain", "Lockbox",
        "KeychainWrapperSupport", "KeychainWrapperTestSupport",
    ]
    /// What modules of these names have on Linux alone.
    private static let names = [
        "TemporaryKeychain", "SecItemApply", "SecItemChange", "SystemKeychain", "KeychainControl",
    ]

    /// The lines that every platform compiles, and those of Apple's alone.
    ///
    /// Conditions other than `canImport(Darwin)` are taken to hold.
    static func appleLines(of text: String) -> [Substring] {
        var lines: [Substring] = []
        // Of each condition around the line, whether it is about the platform, and whether it holds on Apple's.
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
    func `outside of what is Linux's, tests name nothing that only Linux has`(folder: String) throws {
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

    @Test func `what is Linux's is known by its condition`() {
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
