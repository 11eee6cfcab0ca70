// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Reads the items of the Secret Service that another program provides: gnome-keyring, KeePassXC or KWallet.
enum SecretServiceItems {
    static let program = "keychain-secret-service"

    /// Starts `keychain-secret-service`, which has a D-Bus client, and reads its output.
    static func read() throws(Failure) -> ImportedFile {
        guard let path = CompanionProgram.find(program) else { throw CompanionProgram.missing(program) }
        let options = ["--export"] + (TerminalPrompt.isForbidden ? ["--no-prompt"] : [])
        var (code, output) = try ChildProgram(path, options).run(output: .captured)
        defer { output.wipe() }
        guard code == 0 else {
            throw .message(
                "\(program) ended with \(code); it needs a build with the package trait SecretService",
                result: 1
            )
        }
        return try parse(output)
    }

    static func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        let export: SecretServiceExport
        do throws(StatusError) {
            export = try WireReader.decode(bytes) { reader throws(StatusError) in try reader.value() }
        } catch {
            throw ImportFormat.malformed("the output of \(program)")
        }
        if let problem = export.problem { throw .message(problem, result: 1) }
        var file = ImportedFile()
        for rejection in export.rejections { file.reject(rejection.location, rejection.reason) }
        for (number, item) in export.items.enumerated() {
            file.passwords.append(try password(item, "item \(number + 1)"))
        }
        return file
    }

    /// Converts an item of the Secret Service to a password.
    ///
    /// An item with a server and a known protocol becomes an internet password, any other a generic password. If a
    /// generic password has no attribute with a user, the account consists of the attributes that identify the item in
    /// the Secret Service.
    private static func password(
        _ item: SecretServiceExport.Item,
        _ location: String
    ) throws(Failure) -> ImportedPassword {
        let given = item.attributes
        let user = ["username", "user", "account", "login"].lazy.compactMap { given[$0] }.first
        let text = AttributeString.format(given)
        var attributes = Attributes()
        let itemClass: ItemClass
        if let server = given["server"], let code = given["protocol"].flatMap(SchemeCode.code) {
            itemClass = .internetPassword
            attributes = try HelperItems.internet(
                server: server,
                protocol: code,
                port: given["port"].flatMap { UInt16($0) }.map(Int64.init),
                path: given["object"],
                account: user ?? ""
            )
            if !text.isEmpty { attributes[.comment] = .string(text) }
        } else {
            itemClass = .genericPassword
            let names = [given["service"], item.label, given["server"], item.collection]
            attributes[.service] = .string(names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? "")
            let identity = given.filter { $0.key != "xdg:schema" }
            attributes[.account] = .string(user ?? AttributeString.format(identity))
            attributes[.generic] = .string(text)
        }
        attributes[.label] = .string(item.label)
        return ImportedPassword(
            itemClass: itemClass,
            attributes: attributes,
            password: item.secret.bytes,
            location: location
        )
    }
}
