// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Asks for confirmation before printing private keys on a terminal, whose scrollback buffer keeps them.
enum PrivateKeyWarning {
    static func confirm(output name: String?) throws(Failure) {
        guard isTerminal(name) else { return }
        Console.say(
            "This prints private keys on the terminal; -o writes them to a file of mode 0600 instead.\n"
        )
        guard Console.isTerminal(STDIN_FILENO) else {
            throw .message(
                "printing private keys on a terminal needs confirmation; -o writes them to a file",
                result: 1
            )
        }
        try TerminalPrompt.confirm(typing: "yes", orThrow: "nothing was exported")
    }

    private static func isTerminal(_ name: String?) -> Bool {
        guard let name, name != "-" else { return Console.isTerminal(STDOUT_FILENO) }
        let descriptor = unsafe open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Console.isTerminal(descriptor)
    }
}
