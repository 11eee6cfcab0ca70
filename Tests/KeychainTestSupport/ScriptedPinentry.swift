// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeychainUserPresence

/// A script that acts as a pinentry program and logs the commands it receives.
package final class ScriptedPinentry: Sendable {
    /// The reply to a prompt, after other commands were acknowledged with OK.
    package enum Answer: Sendable {
        case passcode(String)
        case cancel
        /// Shell commands to run instead of a reply.
        case shell(String)
    }

    private let directory: URL
    private var log: URL { directory.appending(component: "log") }
    private var program: URL { directory.appending(component: "pinentry") }

    /// Writes the script.
    ///
    /// After the last answer, all prompts are cancelled. After the last button press, dialogs without an
    /// input field wait.
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

    /// The commands that the script received.
    package var commands: [String] {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The descriptions that were shown, in order.
    package var descriptions: [String] { commands.filter { $0.hasPrefix("SETDESC ") } }

    /// The number of passcode prompts.
    package var prompts: Int { commands.count { $0 == "GETPIN" } }

    /// Whether an answer has created the marker file next to the log.
    package var hasCancelled: Bool { FileManager.default.fileExists(atPath: log.path + ".cancelled") }

    package var path: String { program.path }

    /// Settings that start the script, with a generous time limit.
    package var settings: PinentrySettings {
        var settings = PinentrySettings(program: program.path, display: ":canary", timeout: 600)
        settings.startLimit = 60_000
        return settings
    }

    /// Directs the API's prompts to the script.
    package func answering<Result>(_ body: () throws -> Result) rethrows -> Result {
        try PinentrySettings.$override.withValue(settings) {
            try FingerprintSettings.$override.withValue(sensor, operation: body)
        }
    }

    /// Settings without the sensor of the machine that runs the tests.
    private var sensor: FingerprintSettings { .override ?? FingerprintSettings(bus: .none) }

    /// Directs the API's prompts to the script, in an asynchronous test.
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
