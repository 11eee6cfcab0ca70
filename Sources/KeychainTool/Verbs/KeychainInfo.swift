// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainControl
import KeychainModel

/// `show-keychain-info`: prints the status of the store.
struct KeychainInfo {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        let step = "SecKeychainCopySettings"
        let status = try KeychainCalls.status(step)
        let groups = try AccessGroups.own(step)
        let own = try KeychainCalls.failing(step, body: SystemKeychain.ownItemCount)
        let others = status.itemCount - min(own, status.itemCount)
        if arguments.has("json") {
            try Console.write(Self.json(status, groups, others).line)
        } else {
            // Print the same line as macOS, to standard error as macOS does.
            Console.say("Keychain \"\(BlobText.line(status.directory))\"\(Self.settings(status))\n")
            try Console.write(Self.text(status, groups, others))
        }
    }

    private static func settings(_ status: KeychainStatus) -> String {
        let sleep = status.locksOnSleep ? " lock-on-sleep" : ""
        return sleep + (status.autoLockInterval.map { " timeout=\($0)s" } ?? " no-timeout")
    }

    private static func text(_ status: KeychainStatus, _ groups: [String], _ others: UInt64) -> String {
        """
        format: \(status.format.major).\(status.format.minor)
        generation: \(status.generation)
        items: \(status.itemCount)
        access groups: \(groups.map { BlobText.line($0) }.joined(separator: ", "))
        items in other groups: \(others)
        tombstones: \(status.tombstoneCount)
        read-only: \(status.isReadOnly ? "yes" : "no")
        passcode: \(status.passcodeIsSet ? "set" : "not set")
        key cache: \(status.keyCache)
        state: \(status.lockState)
        level: \(status.callerLevel)

        """
    }

    private static func json(_ status: KeychainStatus, _ groups: [String], _ others: UInt64) -> JSONText {
        .object([
            ("schemaVersion", .number(1)),
            ("directory", .string(status.directory)),
            (
                "format",
                .object([("major", .number(status.format.major)), ("minor", .number(status.format.minor))])
            ),
            ("generation", .number(Int(clamping: status.generation))),
            ("itemCount", .number(Int(clamping: status.itemCount))),
            ("tombstoneCount", .number(Int(clamping: status.tombstoneCount))),
            ("accessGroups", .array(groups.map { .string($0) })),
            ("itemsInOtherGroups", .number(Int(clamping: others))),
            ("isReadOnly", .boolean(status.isReadOnly)),
            ("passcodeIsSet", .boolean(status.passcodeIsSet)),
            ("keyCache", .string(status.keyCache.description)),
            ("lockState", .string(status.lockState.description)),
            ("autoLockInterval", .number(Int(status.autoLockInterval ?? 0))),
            ("locksOnSleep", .boolean(status.locksOnSleep)),
            ("callerLevel", .string(status.callerLevel.description)),
        ])
    }
}
