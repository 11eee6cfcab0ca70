// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel
import KeychainUserPresence

/// Converts the constraints of an item from and to the words of `--access-control`.
package enum AccessConstraints {
    // swift-format-ignore
    private static let table: [(word: String, flag: UInt64)] = [
        ("user-presence",        ConstraintBit.userPresence),
        ("biometry-any",         ConstraintBit.biometryAny),
        ("biometry-current-set", ConstraintBit.biometryCurrentSet),
        ("device-passcode",      ConstraintBit.devicePasscode),
        ("watch",                ConstraintBit.companion),
        ("private-key-usage",    ConstraintBit.privateKeyUsage),
        ("application-password", ConstraintBit.applicationPassword),
        ("or",                   ConstraintBit.or),
        ("and",                  ConstraintBit.and),
    ] + levels.map { (word: "level-" + $0.name, flag: ConstraintBit.minimumLevel($0)) }

    /// The minimum levels of identification that an item can require of callers.
    private static let levels: [CallerLevel] = [.digest, .sandbox, .group]

    /// The constraints that can be combined with `or`.
    private static let userConstraints =
        ConstraintBit.userPresence | ConstraintBit.biometryAny | ConstraintBit.biometryCurrentSet
        | ConstraintBit.devicePasscode | ConstraintBit.companion

    static func flags(_ text: String) throws(Failure) -> UInt64 {
        var flags: UInt64 = 0
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let row = table.first(where: { $0.word == word }) else {
                let words = table.map(\.word).joined(separator: ", ")
                throw .usage("--access-control takes words with commas between them: \(words)")
            }
            flags |= row.flag
        }
        return flags
    }

    /// Refuses constraints that cannot be satisfied, because an item added with them could never be read.
    package static func check(
        _ control: AccessControl,
        withFingerprints isBuiltIn: Bool
    ) throws(Failure) {
        guard !control.canBeSatisfied(withFingerprints: isBuiltIn) else { return }
        let reason =
            control.canBeSatisfied(withFingerprints: true)
            ? "they require a fingerprint, and this command was built without the trait Fingerprint"
            : "this system cannot satisfy them"
        throw .message(
            "the item could never be opened: its constraints are \(text(of: control) ?? ""), and \(reason)",
            result: Status.unimplemented.rawValue
        )
    }

    /// Returns the words for an access control; `nil` if it has no constraints.
    static func text(of control: AccessControl) -> String? {
        let flags = control.flags
        guard control.isConstrained else { return nil }
        func words(_ among: UInt64) -> [String] {
            table.filter { flags & $0.flag != 0 && among & $0.flag != 0 }.map(\.word)
        }
        let userConstraints = words(userConstraints).joined(
            separator: flags & ConstraintBit.or != 0 ? ",or," : ","
        )
        return
            ([userConstraints].filter { !$0.isEmpty }
            + words(ConstraintBit.privateKeyUsage | ConstraintBit.applicationPassword)
            + (control.minimumLevel > .embedded ? ["level-" + control.minimumLevel.name] : []))
            .joined(separator: ",")
    }
}

extension ScannedArguments {
    /// The access control that the options specify; `nil` without such an option.
    func accessControl() throws(Failure) -> AccessControl? {
        guard let text = value("access-control") else { return nil }
        let flags = try AccessConstraints.flags(text)
        let name = try value("accessible").map { name throws(Failure) in
            try ToolOption.protectionClass(name)
        }
        let protection = name.flatMap { ProtectionClass(name: $0) } ?? .whenUnlocked
        let control = AccessControl(protection: protection, flags: flags)
        guard control.isConsistent else {
            throw .usage(
                "the constraints of --access-control are mutually exclusive, or --accessible is not a class"
            )
        }
        try AccessConstraints.check(control, withFingerprints: ItemAuthentication.hasFingerprints)
        return control
    }

    /// The authentication state for all calls of a command.
    ///
    /// With `--application-password`, the state contains that password. If the option has no value, `prompts` are
    /// shown in turn, one for an existing password and two for a new one; without a terminal, the next line of
    /// standard input is the password.
    func authentication(asking prompts: [String]) throws(Failure) -> ContextState {
        let state = ContextState()
        guard let occurrence = occurrences.last(where: { $0.option.name == "application-password" }) else {
            return state
        }
        var password: [UInt8]
        if let text = occurrence.value {
            if !isInteractive { Warning.passwordInArguments.give() }
            password = Array(text.utf8)
        } else {
            // Reads one line only, because the item's password may come from the same pipe.
            password = try SecretInput.password(asking: prompts, isInteractive: true)
        }
        var secret: SecretBytes? = SecretBytes(moving: &password)
        state.update { $0.with(applicationPassword: secret.take()) }
        return state
    }
}
