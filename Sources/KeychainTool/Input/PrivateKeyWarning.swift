// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Asks before private keys are printed on a terminal, where they stay in the scrollback.
enum PrivateKeyWarning {
    static func confirm(output name: String?) throws(Failure) {
        guard isTerminal(name) else { return }
        Console.say(
            "The private keys would be shown on this terminal; -o writes them into a file of mode 0600.\n"
        )
        guard Console.isTerminal(STDIN_FILENO) else {
            throw .message("private keys are not written to a terminal unasked", result: 1)
        }
        Console.say("Type yes to go on: ")
        guard try StandardInput.nextLine() == Array("yes".utf8) else {
            throw .message("nothing was exported", result: 1)
        }
    }

    private static func isTerminal(_ name: String?) -> Bool {
        guard let name, name != "-" else { return Console.isTerminal(STDOUT_FILENO) }
        let descriptor = unsafe open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Console.isTerminal(descriptor)
    }
}
