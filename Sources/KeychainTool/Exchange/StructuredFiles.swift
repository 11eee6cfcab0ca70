// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// Parses the unencrypted JSON export of Bitwarden.
enum BitwardenJSON {
    static func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        guard let document = JSONValue(bytes), let entries = document["items"]?.elements else {
            throw ImportFormat.malformed("a JSON export of Bitwarden")
        }
        if case .boolean(true)? = document["encrypted"] {
            throw .message("the export of Bitwarden is encrypted; export it without encryption", result: 1)
        }
        var file = ImportedFile()
        for (number, entry) in entries.enumerated() { try add(entry, "entry \(number + 1)", to: &file) }
        return file
    }

    private static func add(
        _ entry: JSONValue,
        _ location: String,
        to file: inout ImportedFile
    ) throws(Failure) {
        let name = entry["name"]?.string ?? ""
        let note = entry["notes"]?.string ?? ""
        if entry["type"]?.integer == 2 {
            guard !name.isEmpty, !note.isEmpty else { return file.reject(location, "the note is empty") }
            var item = try LoginEntry.item(name: name, password: note, location: location)
            item.attributes[.description] = .string("secure note")
            return file.passwords.append(item)
        }
        guard entry["type"]?.integer == 1, let login = entry["login"] else {
            return file.reject(location, "it is neither a login nor a note")
        }
        let account = login["username"]?.string ?? ""
        let url = login["uris"]?.elements?.first?["uri"]?.string ?? ""
        let (password, code) = (login["password"]?.string ?? "", login["totp"]?.string ?? "")
        guard !name.isEmpty || !url.isEmpty else {
            return file.reject(location, "it has neither a name nor a URL")
        }
        guard !password.isEmpty || !code.isEmpty else { return file.reject(location, "it has no password") }
        if !password.isEmpty {
            file.passwords.append(
                try LoginEntry.item(
                    name: name,
                    url: url,
                    account: account,
                    password: password,
                    note: note,
                    location: location
                )
            )
        }
        guard !code.isEmpty else { return }
        let title = name.isEmpty ? url : name
        LoginEntry.addOneTimeCode(name: title, account: account, secret: code, location: location, to: &file)
    }
}

/// Parses Docker's `config.json` with credentials in plaintext.
enum DockerConfiguration {
    static func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        guard let document = JSONValue(bytes), case .object(let servers)? = document["auths"] else {
            throw ImportFormat.malformed("a configuration of Docker with credentials")
        }
        var file = ImportedFile()
        for (number, server) in servers.enumerated() {
            let location = "server \(number + 1)"
            guard let login = login(server.value) else {
                file.reject(location, "it has no credentials; a helper may keep them")
                continue
            }
            guard !login.password.isEmpty else {
                file.reject(location, "it has no password")
                continue
            }
            file.passwords.append(
                ImportedPassword(
                    itemClass: .genericPassword,
                    attributes: DockerCredential.attributes(server: server.name, user: login.user),
                    password: Array(login.password.utf8),
                    location: location
                )
            )
        }
        return file
    }

    /// Returns the user and password of a server; `nil` if the file does not contain them.
    ///
    /// If there is an identity token, it is the password, and the user is ``DockerCredential/tokenUser``.
    private static func login(_ server: JSONValue) -> (user: String, password: String)? {
        if let token = server["identitytoken"]?.string, !token.isEmpty {
            return (DockerCredential.tokenUser, token)
        }
        guard let text = server["auth"]?.string, let bytes = Data(base64Encoded: text),
            let pair = String(validating: bytes, as: UTF8.self), let colon = pair.firstIndex(of: ":")
        else { return nil }
        return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }
}
