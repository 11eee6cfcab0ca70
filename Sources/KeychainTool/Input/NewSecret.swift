// SPDX-License-Identifier: Apache-2.0

/// The new password that the options of `set` and `edit` describe.
struct NewSecret {
    private let arguments: ScannedArguments
    private let generation: (policy: PasswordPolicy, length: Int)?
    private let descriptor: Int32?

    private static let lengths = 8...1_024
    private static let usualLength = 24

    /// Checks the options, before the user is prompted or a descriptor is read.
    init(_ arguments: ScannedArguments) throws(Failure) {
        self.arguments = arguments
        generation = try Self.generation(arguments)
        descriptor = try DescriptorInput.named(by: arguments)
        guard generation == nil || descriptor == nil else {
            throw .usage("--fd and --generate are mutually exclusive")
        }
    }

    /// Whether an option selects the source of the password: generated, or read from a descriptor.
    var isNamed: Bool { generation != nil || descriptor != nil }

    private static func generation(
        _ arguments: ScannedArguments
    ) throws(Failure) -> (policy: PasswordPolicy, length: Int)? {
        for option in ["length", "policy"] where arguments.has(option) && !arguments.has("generate") {
            throw .usage("--\(option) requires --generate")
        }
        guard arguments.has("generate") else { return nil }
        let text = arguments.value("length") ?? String(usualLength)
        guard let length = Int(text), lengths.contains(length) else {
            throw .usage("--length takes a number from 8 to 1024")
        }
        guard let policy = arguments.value("policy") else { return (.standard, length) }
        return (try PasswordPolicy(policy), length)
    }

    /// Generates the password, reads it from the descriptor, or prompts for it.
    ///
    /// Without a terminal, the password is read from standard input instead of a prompt.
    func read() throws(Failure) -> [UInt8] {
        if let generation { return try generation.policy.password(length: generation.length) }
        guard let descriptor else { return try asked() }
        return try DescriptorInput.secret(from: descriptor, orThrow: Self.missing)
    }

    private func asked() throws(Failure) -> [UInt8] {
        do throws(Failure) {
            return try SecretInput.newPassword(isInteractive: arguments.isInteractive)
        } catch {
            guard error == SecretInput.empty("password") else { throw error }
            throw Self.missing
        }
    }

    private static let missing = Failure.message(
        "no password was given; security add-generic-password -w '' stores an empty one",
        result: 1
    )
}
