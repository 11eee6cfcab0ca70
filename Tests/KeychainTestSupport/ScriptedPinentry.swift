// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainUserPresence

/// A shell script that acts as a pinentry program and logs the commands it receives.
package final class ScriptedPinentry: Sendable {
    /// The reply to a prompt (`GETPIN`) or to a dialog without an input field (`CONFIRM`).
    package enum Answer: Sendable {
        case passcode(String)
        case cancel
        /// Shell commands that write the reply.
        case shell(String)
    }

    package let directory: URL
    private var log: URL { directory.appending(component: "log") }
    private var program: URL { directory.appending(component: "pinentry") }

    /// Writes the script.
    ///
    /// Prompts after the last of `answers` are cancelled. Dialogs without an input field after the last of
    /// `presses` stay open.
    package init(
        _ answers: [Answer] = [],
        presses: [Answer] = [],
        greeting: String = "echo OK ready"
    ) throws {
        directory = FileManager.default.temporaryDirectory.appending(component: "pinentry-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let script = """
            #!/bin/sh
            log='\(log.path)'
            \(greeting)
            while read -r line; do
            printf '%s\\n' "$line" >> "$log"
            case "$line" in
            GETPIN) case $(grep -c '^GETPIN' "$log") in
            \(Self.cases(answers))  *) echo 'ERR 83886179 Operation cancelled <Pinentry>';;
            esac;;
            CONFIRM*) case $(grep -c '^CONFIRM' "$log") in
            \(Self.cases(presses))
            esac;;
            BYE) echo OK; exit;;
            *) echo OK;;
            esac
            done
            """
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
    }

    private static func cases(_ answers: [Answer]) -> String {
        answers.enumerated().map { number, answer in
            let reply =
                switch answer {
                case .passcode(let text): "printf 'D %s\\nOK\\n' '\(text)'"
                case .cancel: "echo 'ERR 83886179 Operation cancelled <Pinentry>'"
                case .shell(let commands): commands
                }
            return "  \(number + 1)) \(reply);;\n"
        }.joined()
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    package var commands: [String] {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The `SETDESC` commands received, which set the text of a dialog, in order.
    package var descriptions: [String] { commands.filter { $0.hasPrefix("SETDESC ") } }

    package var prompts: Int { commands.count { $0 == "GETPIN" } }

    /// Whether one of the answers created the file `*.cancelled` next to the log.
    package var hasCancelled: Bool { FileManager.default.fileExists(atPath: log.path + ".cancelled") }

    package var path: String { program.path }

    /// Allows other users to run the script, and to write its log but not the script.
    package func openToAllUsers() throws {
        let modes = [(directory.path, 0o1777), (program.path, 0o755)]
        for (path, mode) in modes {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
    }

    /// Settings that make the API start the script, with generous time limits.
    package var settings: PinentrySettings {
        var settings = PinentrySettings(program: program.path, display: ":canary", timeout: 600)
        settings.startLimit = 60_000
        return settings
    }

    /// Calls `body` while the API's prompts run the script.
    package func answering<Result>(_ body: () throws -> Result) rethrows -> Result {
        try PinentrySettings.$override.withValue(settings) {
            try FingerprintSettings.$override.withValue(sensor, operation: body)
        }
    }

    /// Settings that prevent the use of this machine's fingerprint sensor.
    private var sensor: FingerprintSettings { .override ?? FingerprintSettings(bus: .none) }

    /// Awaits `body` while the API's prompts run the script.
    package func answering<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await PinentrySettings.$override.withValue(
            settings,
            operation: {
                try await FingerprintSettings.$override.withValue(
                    sensor,
                    operation: body,
                    isolation: isolation
                )
            },
            isolation: isolation
        )
    }
}
