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
        _ place: String,
        to file: inout ImportedFile
    ) throws(Failure) {
        let name = entry["name"]?.string ?? ""
        let note = entry["notes"]?.string ?? ""
        if entry["type"]?.integer == 2 {
            guard !name.isEmpty, !note.isEmpty else { return file.reject(place, "the note is empty") }
            var item = try LoginEntry.item(name: name, url: "", account: "", password: note, place: place)
            item.attributes[.description] = .string("secure note")
            return file.passwords.append(item)
        }
        guard entry["type"]?.integer == 1, let login = entry["login"] else {
            return file.reject(place, "it is neither a login nor a note")
        }
        let account = login["username"]?.string ?? ""
        let url = login["uris"]?.elements?.first?["uri"]?.string ?? ""
        let (password, code) = (login["password"]?.string ?? "", login["totp"]?.string ?? "")
        guard !name.isEmpty || !url.isEmpty else {
            return file.reject(place, "it has neither a name nor a URL")
        }
        guard !password.isEmpty || !code.isEmpty else { return file.reject(place, "it has no password") }
        if !password.isEmpty {
            file.passwords.append(
                try LoginEntry.item(
                    name: name,
                    url: url,
                    account: account,
                    password: password,
                    note: note,
                    place: place
                )
            )
        }
        guard !code.isEmpty else { return }
        file.passwords.append(
            LoginEntry.oneTimeCode(name: name, account: account, secret: code, place: place)
        )
    }
}

/// Parses a `.netrc` file.
enum NetrcFile {
    static func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ImportFormat.malformed("a netrc file")
        }
        var file = ImportedFile()
        var entry: [String: String] = [:]
        var (place, isInMacro) = ("", false)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if isInMacro {
                isInMacro = !line.isEmpty
                continue
            }
            var words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)[...]
            while let word = words.popFirst(), !word.hasPrefix("#") {
                if word == "machine" || word == "default" {
                    try finish(&entry, place, in: &file)
                    place = "line \(number + 1)"
                    entry = ["machine": word == "machine" ? words.popFirst() ?? "" : ""]
                } else if word == "macdef" {
                    (words, isInMacro) = ([], true)
                } else if ["login", "password", "account"].contains(word) {
                    entry[word] = words.popFirst() ?? ""
                } else {
                    throw ImportFormat.malformed("a netrc file")
                }
            }
        }
        try finish(&entry, place, in: &file)
        return file
    }

    private static func finish(
        _ entry: inout [String: String],
        _ place: String,
        in file: inout ImportedFile
    ) throws(Failure) {
        defer { entry = [:] }
        guard let machine = entry["machine"] else { return }
        guard !machine.isEmpty else { return file.reject(place, "it names no machine") }
        guard let password = entry["password"], !password.isEmpty else {
            return file.reject(place, "it has no password")
        }
        file.passwords.append(
            try LoginEntry.item(
                name: machine,
                url: "https://\(machine)",
                account: entry["login"] ?? "",
                password: password,
                place: place
            )
        )
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
            let place = "server \(number + 1)"
            guard let text = server.value["auth"]?.string, let bytes = Data(base64Encoded: text),
                let pair = String(validating: bytes, as: UTF8.self),
                let colon = pair.firstIndex(of: ":")
            else {
                file.reject(place, "it has no credentials; a helper may keep them")
                continue
            }
            var attributes = Attributes()
            attributes[.service] = .string(server.name)
            attributes[.account] = .string(String(pair[..<colon]))
            attributes[.label] = .string("Docker: \(server.name)")
            attributes[.description] = .string(DockerCredential.kind)
            let password = pair[pair.index(after: colon)...].utf8
            file.passwords.append(
                ImportedPassword(
                    itemClass: .genericPassword,
                    attributes: attributes,
                    password: Array(password),
                    place: place
                )
            )
        }
        return file
    }
}
