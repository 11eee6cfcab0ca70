// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Shows the progress of an operation on standard error: a bar on a terminal, otherwise JSON events.
///
/// `--json` prints events on a terminal, too. Without `--json`, nothing is shown by `security -q`, or in interactive
/// mode on a terminal.
final class ProgressReport {
    private enum Style {
        case bar, events, none
    }

    private static let width = 30
    /// The number of items between two reports if the total is unknown.
    private static let step = 4_096

    private let operation: String
    private let style: Style
    private var last = -1

    /// Creates a report; with `writesEvents` false, there is a bar but no events.
    init(_ operation: String, _ arguments: ScannedArguments, writesEvents: Bool = true) {
        self.operation = operation
        let isTerminal = Console.isTerminal(STDERR_FILENO)
        style =
            if arguments.has("json") {
                writesEvents ? .events : .none
            } else if arguments.isQuiet || isTerminal && arguments.isInteractive {
                .none
            } else if isTerminal {
                .bar
            } else {
                writesEvents ? .events : .none
            }
    }

    /// The progress callback of an operation: reports the progress, and never cancels the operation.
    var receiver: MaintenanceProgress {
        { completed, total in
            self.update(completed, total)
            return true
        }
    }

    /// Reports the number of completed items once per percent, or once per `step` items without a total.
    private func update(_ completed: Int, _ total: Int) {
        let mark = total > 0 ? completed * 100 / total : completed / Self.step
        guard mark != last, style != .none else { return }
        last = mark
        if style == .bar { draw(completed, total) } else { write(completed, total) }
    }

    /// Erases the progress bar from the terminal.
    func finish() {
        if style == .bar, last >= 0 { Console.say("\r\u{1B}[K") }
        last = -1
    }

    private func draw(_ completed: Int, _ total: Int) {
        guard total > 0 else { return Console.say("\r\(operation) \(completed)") }
        let filled = Self.width * completed / total
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        Console.say("\r\(operation) [\(bar)] \(completed)/\(total)")
    }

    private func write(_ completed: Int, _ total: Int) {
        let members: [(String, JSONText)] = [
            ("schemaVersion", .number(1)), ("event", .string("progress")),
            ("operation", .string(operation)), ("completed", .number(completed)),
        ]
        let all = total > 0 ? members + [("total", .number(total))] : members
        Console.say(JSONText.object(all).text + "\n")
    }
}
