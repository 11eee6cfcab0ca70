// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The program `KeychainTestTool`, which calls the API in a process of its own.
package enum TestTool {
    /// The path of the program, which is in the directory of the program that runs the tests.
    package static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(component: "KeychainTestTool").path

    package static func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(component: "keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory)
    }

    /// Starts the program with the store in a directory and with these access groups.
    package static func start(
        over store: URL,
        groups: [String] = ["TEAM.app"],
        environment: [String: String] = [:],
        at place: ChildProcess.Place = .inherited
    ) throws -> ChildProcess {
        let entitlements = store.deletingLastPathComponent()
            .appending(component: "\(store.lastPathComponent)-\(groups.joined(separator: "+")).plist")
        try PropertyListEncoder().encode(["keychain-access-groups": groups]).write(to: entitlements)
        let usual = ["KEYCHAIN_HOME": store.path, "KEYCHAIN_ENTITLEMENTS": entitlements.path]
        return try ChildProcess(executable, environment: usual.merging(environment) { $1 }, at: place)
    }
}
