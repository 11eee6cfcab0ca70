// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `set`: stores the password of one item, or replaces it.
struct SetPassword {
    let arguments: ScannedArguments

    /// The lengths of generated passwords; the shortest has 48 bits.
    private static let lengths = 8...1_024
    private static let usualLength = 24

    /// 64 characters, 6 random bits each; none is special in a shell.
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    func run() throws(Failure) {
        let name = try arguments.itemName()
        guard let account = name.account else { throw .usage("the account is required: SERVICE/ACCOUNT") }
        let length = try length()
        try Keychains.useOption(of: arguments)
        let password: [UInt8]
        if let length {
            password = Self.generated(length)
        } else {
            password = try newPassword()
        }
        var given = GivenAttributes(itemClass: .genericPassword)
        given.attributes[.service] = .string(name.service)
        given.attributes[.account] = .string(account)
        try AddPassword(.genericPassword, arguments).store(given, password)
    }

    private func newPassword() throws(Failure) -> [UInt8] {
        do throws(Failure) {
            return try SecretInput.newPassword(isInteractive: arguments.isInteractive)
        } catch {
            guard error == SecretInput.empty("password") else { throw error }
            throw .message(
                "no password was given; security add-generic-password -w '' stores an empty one",
                result: 1
            )
        }
    }

    /// The length of the password to generate; `nil` without `--generate`.
    private func length() throws(Failure) -> Int? {
        guard let text = arguments.value("length") else {
            return arguments.has("generate") ? Self.usualLength : nil
        }
        guard arguments.has("generate") else { throw .usage("--length requires --generate") }
        guard let length = Int(text), Self.lengths.contains(length) else {
            throw .usage("--length takes a number from 8 to 1024")
        }
        return length
    }

    private static func generated(_ length: Int) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<length).map { _ in alphabet[Int(random.next() & 63)] }
    }
}
