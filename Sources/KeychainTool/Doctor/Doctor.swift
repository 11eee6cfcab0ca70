// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// `doctor`: checks the store, and what this program needs to use it.
///
/// Its output contains no secret and no attribute of an item.
struct Doctor {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        let progress = ProgressReport("doctor", arguments, writesEvents: false)
        defer { progress.finish() }
        let findings =
            [Self.program, Self.libraries] + StoreCheck(progress: progress).findings()
            + CallerCheck.findings()
            + PromptCheck.findings() + SecretServiceCheck.findings()
        progress.finish()
        if arguments.has("json") {
            let members: [(String, JSONText)] = [
                ("schemaVersion", .number(1)), ("findings", .array(findings.map(\.json))),
            ]
            try Console.write(JSONText.object(members).line)
        } else {
            try Console.write(findings.map(\.line).joined())
        }
        if findings.contains(where: { $0.level == .problem }) { throw .said(result: 1) }
    }

    private static var program: Finding {
        var traits: [String] = []
        #if Objects
        traits.append("Objects")
        #endif
        #if Trust
        traits.append("Trust")
        #endif
        #if PKCS12
        traits.append("PKCS12")
        #endif
        #if KeePass
        traits.append("KeePass")
        #endif
        #if Fingerprint
        traits.append("Fingerprint")
        #endif
        let list = traits.isEmpty ? "without traits" : "with the traits \(traits.joined(separator: ", "))"
        return Finding("program", .ok, "security \(Help.version), built \(list)")
    }

    private static var libraries: Finding {
        let versions = SystemKeychain.libraryVersions
        return Finding("libraries", .ok, "SQLite \(versions.sqlite), libsodium \(versions.sodium)")
    }
}
