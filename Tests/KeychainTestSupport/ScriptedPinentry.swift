// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeychainUserPresence

/// A program that answers as pinentry does, by a script of its own, and writes down what it was told.
package final class ScriptedPinentry: Sendable {
    /// What comes after the commands that are answered with OK.
    package enum Answer: Sendable {
        case passcode(String)
        case cancel
        /// Shell commands in the place of an answer.
        case shell(String)
    }

    private let directory: URL
    private var log: URL { directory.appending(component: "log") }
    private var program: URL { directory.appending(component: "pinentry") }

    /// Writes the script; after the last answer everything is cancelled, and after the last press of a button in a
    /// dialog without a line nothing happens.
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

    /// The commands that it got.
    package var commands: [String] {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The texts that were shown, the first first.
    package var descriptions: [String] { commands.filter { $0.hasPrefix("SETDESC ") } }

    /// How often the user was asked.
    package var prompts: Int { commands.count { $0 == "GETPIN" } }

    /// Whether an answer has left a mark beside its log.
    package var hasCancelled: Bool { FileManager.default.fileExists(atPath: log.path + ".cancelled") }

    package var path: String { program.path }

    /// How to start it; a busy machine may take its time.
    package var settings: PinentrySettings {
        var settings = PinentrySettings(program: program.path, display: ":canary", patience: 600)
        settings.startLimit = 60_000
        return settings
    }

    /// Lets the functions of the API ask it.
    package func answering<Result>(_ body: () throws -> Result) rethrows -> Result {
        try PinentrySettings.$override.withValue(settings) {
            try FingerprintSettings.$override.withValue(sensor, operation: body)
        }
    }

    /// The sensor of the machine that runs the tests is not looked for.
    private var sensor: FingerprintSettings { .override ?? FingerprintSettings(bus: .none) }

    /// The same for what waits.
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
