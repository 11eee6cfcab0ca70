// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// `codesign display`: prints the signature of an executable.
struct DisplaySignature {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let path = try ExecutableArgument.path(arguments)
        let executable = try ExecutableArgument.open(path)
        guard let bytes = SignatureSource.read(path) else { throw VerifyExecutable.unsigned(path) }
        let statement: SignedStatement
        do throws(SignatureDamage) {
            statement = try CodeSignature(verifying: bytes).statement
        } catch {
            throw .message("\(BlobText.line(path)): \(BlobText.line(error.text))", result: 1)
        }
        if arguments.has("entitlements") {
            return try Console.write(Self.propertyList(statement.entitlements, of: statement.team))
        }
        let digest = try ExecutableArgument.digest(of: executable, path)
        let verdict = try TrustedTeams.read(arguments).evaluate(bytes, of: digest, at: EndDate.now)
        if arguments.has("json") {
            return try Console.write(Self.json(statement, verdict, path).line)
        }
        let rows = Self.rows(statement) + [("Signature", Self.text(verdict))]
        let all = [("Executable", BlobText.line(path))] + rows
        try Console.write(all.map { "\($0.0): \($0.1)\n" }.joined())
    }

    private static func rows(_ statement: SignedStatement) -> [(String, String)] {
        let certificate = statement.certificate
        let groups = statement.entitlements.groups(of: statement.team) { _ in true }
        let level = statement.isGroupLevelOnly ? [("Level", CallerLevel.group.name)] : []
        return [
            ("Identifier", statement.entitlements.identifier), ("Team", statement.team.text),
            ("Groups", groups.joined(separator: ", ")),
            ("Signed", EndDate.text(statement.signedAt)), ("Expires", EndDate.text(statement.expires)),
            ("Signing key", "\(certificate.serial), expires: \(EndDate.text(certificate.validUntil))"),
            ("Digest", Hexadecimal.text(statement.executable.digest.bytes)),
            ("Size", String(statement.executable.size)),
        ] + level
    }

    private static func json(
        _ statement: SignedStatement,
        _ verdict: SignatureVerdict,
        _ path: String
    ) -> JSONText {
        let certificate = statement.certificate
        let groups = statement.entitlements.groups(of: statement.team) { _ in true }
        let isTrusted = if case .trusted = verdict { true } else { false }
        return .object([
            ("schemaVersion", .number(1)), ("executable", .string(path)),
            ("identifier", .string(statement.entitlements.identifier)),
            ("team", .string(statement.team.text)),
            ("accessGroups", .array(groups.map { .string($0) })),
            ("signed", .string(EndDate.text(statement.signedAt))),
            ("expires", .string(EndDate.text(statement.expires))),
            ("signingKey", .number(Int(certificate.serial))),
            ("signingKeyExpires", .string(EndDate.text(certificate.validUntil))),
            ("digest", .string(Hexadecimal.text(statement.executable.digest.bytes))),
            ("size", .number(Int(clamping: statement.executable.size))),
            ("isGroupLevelOnly", .boolean(statement.isGroupLevelOnly)),
            ("isTrusted", .boolean(isTrusted)), ("signature", .string(text(verdict))),
        ])
    }

    private static func text(_ verdict: SignatureVerdict) -> String {
        switch verdict {
        case .trusted(let identity): "valid, team \(identity.team.name)"
        case .damaged(let damage): damage.text
        case .distrusted(let distrust): distrust.text
        }
    }

    private static func propertyList(_ entitlements: SignedEntitlements, of team: TeamIdentifier) -> String {
        let identifier = element("string", team.prefix + entitlements.identifier)
        let lists = [
            ("keychain-access-groups", entitlements.accessGroups),
            ("com.apple.security.application-groups", entitlements.applicationGroups),
        ]
        let arrays = lists.filter { !$0.1.isEmpty }.map { key, groups in
            let strings = groups.map { "        \(element("string", $0))\n" }.joined()
            return "    \(element("key", key))\n    <array>\n\(strings)    </array>\n"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
                <key>application-identifier</key>
                \(identifier)
            \(arrays.joined())</dict>
            </plist>

            """
    }

    private static func element(_ name: String, _ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(scalar)
            }
        }
        return "<\(name)>\(escaped.joined())</\(name)>"
    }
}
