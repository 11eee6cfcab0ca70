// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The bundle identifier, which libraries use as their default service.
@Suite struct BundleIdentifierTests {
    @Test func `a property list beside the executable gives the program its bundle identifier`() throws {
        try TestTool.withDirectory { directory in
            let program = directory.appending(component: "program")
            try FileManager.default.copyItem(atPath: TestTool.executable, toPath: program.path)
            let store = directory.appending(component: "store")
            for identifier in [nil, "com.example.canary"] {
                if let identifier {
                    try PropertyListEncoder().encode(["CFBundleIdentifier": identifier])
                        .write(to: directory.appending(component: "Info.plist"))
                }
                let child = try ChildProcess(program.path, environment: ["KEYCHAIN_HOME": store.path])
                defer { child.end() }
                #expect(try child.ask("bundle") == identifier ?? "none")
            }
        }
    }
}
