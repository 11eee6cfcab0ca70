// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// `show-keychain-info`.
struct KeychainInfo {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychain.check(operands: arguments.operands)
        let status = try Self.status()
        if arguments.has("json") {
            try Console.write(Self.json(status).text + "\n")
        } else {
            // The line of macOS, on the stream where macOS has it.
            Console.say("Keychain \"\(status.directory)\" no-timeout\n")
            try Console.write(Self.text(status))
        }
    }

    private static func status() throws(Failure) -> KeychainStatus {
        do throws(KeychainControlError) {
            return try KeychainControl.status()
        } catch {
            throw .store(error.status, step: "SecKeychainCopySettings", detail: Keychain.described(error))
        }
    }

    private static func text(_ status: KeychainStatus) -> String {
        """
        format: \(status.format.major).\(status.format.minor)
        generation: \(status.generation)
        items: \(status.itemCount)
        tombstones: \(status.tombstoneCount)
        read-only: \(status.isReadOnly ? "yes" : "no")
        passcode: \(status.passcodeIsSet ? "set" : "not set")
        key holder: \(status.keyHolder)

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
            ("keyHolder", .string(status.keyHolder.description)),
        ])
    }
}

/// `create-keychain`: makes the store in a directory, by default that of the environment.
struct CreateKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        do throws(KeychainControlError) {
            try KeychainControl.create(at: arguments.operands.first)
        } catch {
            throw .store(
                error.status,
                step: "SecKeychainCreate",
                detail: Keychain.described(error, in: arguments.operands.first)
            )
        }
    }
}
