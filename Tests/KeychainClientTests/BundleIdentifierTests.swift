// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A program's bundle identifier, which some libraries use as the default service.
@Suite struct BundleIdentifierTests {
    /// A question to the test tool, and its answers without and with an `Info.plist` next to the program.
    private static let answers: [(question: String, without: String, with: String)] = [
        ("bundle", "none", "com.example.canary"),
        ("default-service", "empty", "com.example.canary"),
        ("signed-valet", "unsigned", "signed canary"),
        ("wrapper-defaults", "program program", "com.example.canary com.example.canary"),
    ]

    @Test(arguments: answers.indices)
    func `an Info.plist next to the executable provides the bundle identifier`(row: Int) throws {
        let (question, without, with) = Self.answers[row]
        try TestTool.withDirectory { directory in
            let program = directory.appending(component: "program")
            try FileManager.default.copyItem(atPath: TestTool.executable, toPath: program.path)
            func answer(_ store: String) throws -> String {
                let home = directory.appending(component: store)
                let child = try ChildProcess(program.path, environment: ["KEYCHAIN_HOME": home.path])
                defer { child.end() }
                return try child.ask(question)
            }
            #expect(try answer("first") == without)
            try PropertyListEncoder().encode(["CFBundleIdentifier": "com.example.canary"])
                .write(to: directory.appending(component: "Info.plist"))
            #expect(try answer("second") == with)
        }
    }
}
