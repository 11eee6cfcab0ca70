// SPDX-License-Identifier: Apache-2.0

import KeychainClient

/// `codesign create-team`: creates a team's keys in a file, and the team file beside it.
struct CreateTeam {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let name = arguments.value("name") else { throw .usage("--name is required") }
        guard TeamFile.isName(name) else {
            throw .usage("a team's name has 1 to 128 bytes on one line and no control characters")
        }
        let group = arguments.value("group")
        guard group.map(TeamFile.isGroup) ?? true else {
            throw .usage("--group requires the name of a system group")
        }
        let file = try TeamKeyFile("output", of: arguments)
        let validUntil = try EndDate.read("valid-until", of: arguments)
        try OutputFile.checkAbsent(file.path)
        let passcode = try TeamPasscode(arguments: arguments).read(isNew: true)
        let keys = TeamKeys(makingTeam: name, validUntil: validUntil)
        let teamFile = Self.directory(of: file.path) + TeamFile.name(of: keys.team)
        try OutputFile.create(file.path, try TeamKeyFile.seal(keys, passcode), mode: 0o600)
        try OutputFile.create(teamFile, Array(keys.file(group: group).utf8), mode: 0o644)
        try Console.write(
            "\(keys.team.text)\n\(BlobText.line(file.path)): the keys; signing key \(keys.certificate.serial)\n"
                + "\(BlobText.line(teamFile)): trusts the team, once it is in \(TrustStore.systemDirectory)\n"
        )
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}

/// `codesign rotate`: replaces the signing key of a team.
struct RotateTeam {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let file = try TeamKeyFile("sign", of: arguments)
        let validUntil = try EndDate.read("valid-until", of: arguments)
        let output = arguments.value("output")
        if let output { try OutputFile.checkAbsent(output) }
        let passcode = try TeamPasscode(arguments: arguments).read(isNew: false)
        let keys = try file.open(passcode)
        guard let rotated = keys.rotated(validUntil: validUntil) else {
            throw .message(
                "\(BlobText.line(file.path)): the file has no team key, which certifies signing keys",
                result: 1
            )
        }
        let sealed = try TeamKeyFile.seal(rotated, passcode)
        if let output {
            try OutputFile.create(output, try TeamKeyFile.seal(rotated.withoutTeamKey, passcode), mode: 0o600)
        }
        try OutputFile.replace(file.path, by: sealed, mode: 0o600, calling: file.path)
        let serial = rotated.certificate.serial
        try Console.write(
            "\(rotated.team.text): signing key \(serial)\n"
                + "minimum-serial = \(serial) in \(TeamFile.name(of: rotated.team)) revokes the earlier ones\n"
        )
    }
}
