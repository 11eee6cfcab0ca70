// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// Finds out which program provides the Secret Service to other programs, by asking the session bus.
///
/// It starts `dbus-send` or `busctl`, because the command contains a D-Bus client only with the package trait
/// `Fingerprint`.
enum SecretServiceCheck {
    private static let name = "org.freedesktop.secrets"
    private static let ownProgram = "keychain-secret-service"
    private static let topic = "secret service"
    /// The time limit for the answer of the bus, in seconds.
    private static let limit = "3"

    static func findings() -> [Finding] {
        guard !Variable.string("DBUS_SESSION_BUS_ADDRESS").isEmpty else {
            let text = "not checked: DBUS_SESSION_BUS_ADDRESS is not set"
            return [Finding(topic, .note, text, remedy: "run security doctor in a terminal of the desktop")]
        }
        guard let answer = ask() else {
            return [
                Finding(topic, .note, "not checked: the session bus does not answer, or dbus-send is missing")
            ]
        }
        guard let process = answer else { return [Finding(topic, .ok, "no program provides \(name)")] }
        let program = ProcessName.ofProgram(process, expected: ownProgram)
        guard program != ownProgram else {
            return [Finding(topic, .ok, "\(ownProgram) provides \(name)")]
        }
        let holder = program.map { "\($0) (process \(process))" } ?? "process \(process)"
        return [
            Finding(
                topic,
                .note,
                "\(holder) provides \(name), so other programs do not use this keychain",
                remedy: "SecretService.md has the commands to use this keychain instead"
            )
        ]
    }

    /// Returns the process that owns the bus name ``name``, or `.some(nil)` if no process owns it.
    ///
    /// The result is `nil` if the bus does not answer, or if `timeout` or both `dbus-send` and `busctl` are missing.
    private static func ask() -> pid_t?? {
        guard let timeout = ChildProgram.find("timeout") else { return nil }
        let (bus, path, method) = (
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "GetConnectionUnixProcessID"
        )
        let commands = [
            [
                "dbus-send", "--session", "--print-reply=literal", "--dest=\(bus)", path, "\(bus).\(method)",
                "string:\(name)",
            ],
            ["busctl", "--user", "call", bus, path, bus, method, "s", name],
        ]
        for command in commands where ChildProgram.find(command[0]) != nil {
            guard let (code, output) = try? ChildProgram(timeout, [limit] + command).run(output: .captured)
            else {
                continue
            }
            let number = String(decoding: output, as: UTF8.self).split { !$0.isNumber }.last.flatMap {
                pid_t($0)
            }
            // Both programs exit with 1 if no process owns the name, but also if they cannot reach the bus.
            if code == 1 { return isAnswering(timeout, command) ? .some(nil) : nil }
            if code == 0, let number { return number }
        }
        return nil
    }

    /// Whether the command succeeds when it asks for the owner of `org.freedesktop.DBus`, the bus itself.
    private static func isAnswering(_ timeout: String, _ command: [String]) -> Bool {
        let own =
            command.dropLast() + [command[command.count - 1].replacing(name, with: "org.freedesktop.DBus")]
        return (try? ChildProgram(timeout, [limit] + own).run(output: .captured))?.code == 0
    }
}
