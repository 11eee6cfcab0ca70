// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let sync = Verb(
        "sync",
        "Synchronizes this keychain with other devices over etcd, end-to-end encrypted. (Not on macOS.)",
        discussion: """
            Subcommands: create, invite, join, recover, devices, remove, leave, rebuild, status, conflicts, pause, \
            resume and run. Documentation/Synchronization.md describes their options. The program keychain-sync beside this one, which \
            uses the network, executes them.
            """,
        operand: Operand(name: "subcommand", help: "The subcommand, its options and operands.", limit: .max),
        stopsAtOperand: true
    ) { arguments throws(Failure) in throw SyncProgram(arguments: arguments).start() }
}
