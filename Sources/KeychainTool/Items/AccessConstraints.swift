// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeychainServices

/// What opening an item demands, in the words of `--access-control`.
package enum AccessConstraints {
    // swift-format-ignore
    private static let table: [(word: String, flag: SecAccessControlCreateFlags)] = [
        ("user-presence",        .userPresence),
        ("biometry-any",         .biometryAny),
        ("biometry-current-set", .biometryCurrentSet),
        ("device-passcode",      .devicePasscode),
        ("watch",                .watch),
        ("private-key-usage",    .privateKeyUsage),
        ("application-password", .applicationPassword),
        ("or",                   .or),
        ("and",                  .and),
    ]

    /// Those of which one can be enough.
    private static let ofPerson: SecAccessControlCreateFlags = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch,
    ]

    static func flags(_ text: String) throws(Failure) -> SecAccessControlCreateFlags {
        var flags: SecAccessControlCreateFlags = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let row = table.first(where: { $0.word == word }) else {
                let words = table.map(\.word).joined(separator: ", ")
                throw .usage("--access-control takes words with commas between them: \(words)")
            }
            flags.insert(row.flag)
        }
        return flags
    }

    /// Refuses constraints that cannot be satisfied, because an item added with them could never be read.
    package static func check(
        _ control: SecAccessControl,
        withFingerprints isBuiltIn: Bool
    ) throws(Failure) {
        guard !control.canBeSatisfied(withFingerprints: isBuiltIn) else { return }
        let reason =
            control.canBeSatisfied(withFingerprints: true)
            ? "they require a fingerprint, and this command was built without the trait Fingerprint"
            : "this system cannot satisfy them"
        throw .message(
            "the item could never be opened: its constraints are \(text(of: control) ?? ""), and \(reason)",
            result: errSecUnimplemented
        )
    }

    /// The words of an item's access control, as they can be given; `nil` for an item without constraints.
    static func text(of value: Any?) -> String? {
        guard let flags = (value as? SecAccessControl)?.constraints,
            !flags.isDisjoint(with: ofPerson.union(.applicationPassword))
        else { return nil }
        func words(_ among: SecAccessControlCreateFlags) -> [String] {
            table.filter { flags.contains($0.flag) && among.contains($0.flag) }.map(\.word)
        }
        let ofPerson = words(ofPerson).joined(separator: flags.contains(.or) ? ",or," : ",")
        return ([ofPerson].filter { !$0.isEmpty } + words([.privateKeyUsage, .applicationPassword]))
            .joined(separator: ",")
    }
}

extension ScannedArguments {
    /// The access control that the item gets; `nil` where none is named.
    func accessControl() throws(Failure) -> SecAccessControl? {
        guard let text = occurrences.last(where: { $0.option.name == "access-control" })?.value else {
            return nil
        }
        let flags = try AccessConstraints.flags(text)
        let protection = occurrences.last { $0.option.name == "accessible" }?.value
        if let protection { _ = try ToolOption.protectionClass(protection) }
        let control = SecAccessControlCreateWithFlags(
            nil,
            (protection ?? kSecAttrAccessibleWhenUnlocked as String) as CFTypeRef,
            flags,
            nil
        )
        guard let control else {
            throw .usage(
                "the constraints of --access-control are mutually exclusive, or --accessible is not a class"
            )
        }
        try AccessConstraints.check(control, withFingerprints: SecAccessControl.hasFingerprints)
        return control
    }

    /// What the user proves and the arguments supply, for all calls of a command; asked for with one prompt, or with two
    /// where it is new.
    func context(asking prompts: [String], isInteractive: Bool) throws(Failure) -> LAContext {
        let context = LAContext()
        guard let occurrence = occurrences.last(where: { $0.option.name == "application-password" }) else {
            return context
        }
        var password: Data
        if let text = occurrence.value {
            if !isInteractive { Warning.passwordInArguments.give() }
            password = Data(text.utf8)
        } else {
            // A line, not the rest: the item's password may come from the same pipe.
            password = Data(try SecretInput.password(asking: prompts, isInteractive: true))
        }
        context.setCredential(password, type: .applicationPassword)
        password.resetBytes(in: password.startIndex..<password.endIndex)
        return context
    }
}
