// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

/// `create-keypair`: generates a key pair and stores both keys.
struct CreateKeypair {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let label = arguments.operands.first else { throw .usage("a label is required") }
        try Keychains.useOption(of: arguments)
        let (type, usualSize) = try type()
        var attributes = try arguments.attributes(of: .key, step: Self.step).stored
        let size = try number("size", "bits") ?? usualSize
        attributes[.label] = .string(label)
        attributes[.isPermanent] = .number(1)
        let (start, end) = try dates()
        attributes[.startDate] = start.map { .date($0.timeIntervalSinceReferenceDate) }
        attributes[.endDate] = end.map { .date($0.timeIntervalSinceReferenceDate) }
        arguments.warnOfOptionsWithoutEffect()
        let control = try arguments.accessControl()
        let key = try key(type, size)
        let privateItem = NewItem(key, attributes: attributes).constrained(by: control)
        let publicItem = NewItem(key.publicHalf, attributes: attributes)
        try KeychainCalls.perform(together: [.add(privateItem), .add(publicItem)], step: Self.step)
        try arguments.reportChange([
            ("label", .string(label)), ("algorithm", .string(arguments.value("algorithm") ?? "rsa")),
            ("bits", .number(size)),
        ])
    }

    private static let step = "SecKeyCreatePair"

    private func key(_ type: KeyType, _ size: Int) throws(Failure) -> AsymmetricKey {
        try KeychainCalls.recording(Self.step) { () throws(StatusError) in try ObjectsTrait.check() }
        do throws(AsymmetricKeyError) {
            return try AsymmetricKey(generating: KeySpecification(type, bits: size))
        } catch {
            throw .file(error == .keySizeNotAllowed ? .keySizeNotAllowed : error.status, step: Self.step)
        }
    }

    private func type() throws(Failure) -> (KeyType, Int) {
        switch arguments.value("algorithm")?.lowercased() {
        case nil, "rsa": return (.rsa, 2_048)
        case "ec", "ecdsa", "ecdh": return (.ellipticCurve, 256)
        case "ed25519": return (.ed25519, AsymmetricKey.ed25519Bits)
        case "dsa", "dh", "fee": throw .file(.unimplemented, step: "create-keypair -a")
        default: throw .usage("there is no such algorithm")
        }
    }

    private func number(_ option: String, _ noun: String) throws(Failure) -> Int? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = UInt32(text) else { throw .usage("a number of \(noun) is required") }
        return Int(number)
    }

    private func dates() throws(Failure) -> (start: Date?, end: Date?) {
        let days = try number("days", "days")
        var start = try date("from")
        if start == nil, days != nil { start = Date() }
        let end = try date("to") ?? days.flatMap { start?.addingTimeInterval(Double($0) * 86_400) }
        if let start, let end, start > end { throw .usage("the keys would expire before they are valid") }
        return (start, end)
    }

    /// The start in UTC of the day that an option names; `nil` without the option.
    private func date(_ option: String) throws(Failure) -> Date? {
        guard let text = arguments.value(option) else { return nil }
        guard let seconds = CalendarText.secondsSince1970(day: text) else {
            throw .usage("a date looks like 2030-12-31 or 12/31/2030")
        }
        return Date(timeIntervalSince1970: seconds)
    }
}
