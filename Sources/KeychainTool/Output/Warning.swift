// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A warning shown once per process, on a terminal only.
struct Warning: ~Copyable {
    private let text: String
    private let isGiven = Atomic<Bool>(false)

    private init(_ text: String) { self.text = text }

    static let passwordInArguments = Warning(
        "warning: other users can see a password that is given as an argument; if -w is the last argument, it prompts"
    )
    static let passphraseInArguments = Warning(
        "warning: other users can see a passphrase that is given as an argument; if -P is the last argument, it prompts"
    )
    static let applicationsWithoutEffect = Warning(
        "warning: -A and -T have no effect: access groups decide who may open an item"
    )
    static let processIsOpen = Warning(
        "warning: the system does not let this process forbid core files and debuggers, which may see passwords"
    )

    func give() {
        guard Console.isTerminal(STDERR_FILENO), !isGiven.exchange(true, ordering: .relaxed) else { return }
        Console.complain(text)
    }
}
