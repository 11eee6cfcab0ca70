// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// `otp`: prints the current one-time code of an item.
///
/// The password of the item must have a line that is an `otpauth:` URL.
struct ShowOneTimeCode {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let item = try GetPassword.item(arguments.itemName(), returning: .data, arguments)
        let parameters = try OneTimeCode(url: try Self.url(in: item.password))
        let now = time(nil)
        let code = try parameters.code(at: now)
        guard !arguments.has("json") else {
            let members: [(String, JSONText)] = [
                ("schemaVersion", .number(1)), ("code", .string(code)),
                ("digits", .number(parameters.digits)), ("period", .number(parameters.period)),
                ("remaining", .number(parameters.remaining(at: now))),
            ]
            return try Console.write(JSONText.object(members).line)
        }
        try Console.write(code + "\n")
        guard Console.isTerminal(STDOUT_FILENO) else { return }
        Console.say("valid for \(parameters.remaining(at: now)) s\n")
    }

    /// The first line that is an `otpauth:` URL.
    private static func url(in password: [UInt8]) throws(Failure) -> String {
        let lines = password.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard let url = lines.first(where: { $0.lowercased().hasPrefix("otpauth:") }) else {
            throw .message("the password of the item is not an otpauth: URL", result: 1)
        }
        return url.hasSuffix("\r") ? String(url.dropLast()) : url
    }
}
