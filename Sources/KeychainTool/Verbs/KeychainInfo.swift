// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// `show-keychain-info`.
struct KeychainInfo {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try KeychainCalls.check(operands: arguments.operands)
        let status = try KeychainCalls.status("SecKeychainCopySettings")
        if arguments.has("json") {
            try Console.write(Self.json(status).text + "\n")
        } else {
            // The line of macOS, on the stream where macOS has it.
            Console.say("Keychain \"\(BlobText.line(status.directory))\"\(Self.settings(status))\n")
            try Console.write(Self.text(status))
        }
    }

    private static func settings(_ status: KeychainStatus) -> String {
        let sleep = status.locksOnSleep ? " lock-on-sleep" : ""
        return sleep + (status.autoLockInterval.map { " timeout=\($0)s" } ?? " no-timeout")
    }

    private static func text(_ status: KeychainStatus) -> String {
        """
        format: \(status.format.major).\(status.format.minor)
        generation: \(status.generation)
        items: \(status.itemCount)
        tombstones: \(status.tombstoneCount)
        read-only: \(status.isReadOnly ? "yes" : "no")
        passcode: \(status.passcodeIsSet ? "set" : "not set")
        key cache: \(status.keyCache)
        state: \(status.lockState)

        """
    }

    private static func json(_ status: KeychainStatus) -> JSONText {
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
            ("isReadOnly", .boolean(status.isReadOnly)),
            ("passcodeIsSet", .boolean(status.passcodeIsSet)),
            ("keyCache", .string(status.keyCache.description)),
            ("lockState", .string(status.lockState.description)),
            ("autoLockInterval", .number(Int(status.autoLockInterval ?? 0))),
            ("locksOnSleep", .boolean(status.locksOnSleep)),
        ])
    }
}
