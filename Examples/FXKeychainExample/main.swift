// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation

let keychain = FXKeychain(service: "mail.example", accessGroup: nil)

keychain["alice"] = "correct-horse"
keychain["settings"] = ["server": "imap.example", "port": 993]
if let password = keychain["alice"] as? String {
    print("password of \(password.count) characters")
}
if let settings = keychain["settings"] as? [String: Any], let port = settings["port"] as? Int {
    print("port \(port)")
}
print("password:", keychain["alice"] as? String ?? "none")

keychain.accessibility = .accessibleAfterFirstUnlock
keychain["alice"] = "battery-staple"

do {
    let password = try keychain.storedObject(forKey: "bob")
    print(password == nil ? "certainly no bob" : "bob")
} catch {
    print("cannot be read now: \(error)")
}

if !keychain.setObject(UUID(), forKey: "alice") {
    print(
        "refused with status \(keychain.lastStatus), alice has",
        keychain["alice"] == nil ? "nothing" : "the old value"
    )
}

struct Session: Codable {
    var token: String
    var expires: Date
}
let session = Session(token: "abc", expires: .distantFuture)
try keychain.store(session, forKey: "session")
let stored = try keychain.value(Session.self, forKey: "session")
print("token of \(stored?.token.count ?? 0) characters")

let trusting = FXKeychain(
    service: "mail.example",
    accessGroup: nil,
    accessibility: .accessibleWhenUnlocked,
    options: .init(acceptsKeyedArchives: true, allowedClasses: ["NSArray", "NSUUID"])
)
trusting["devices"] = [UUID(), UUID()]
print(
    "devices:",
    (trusting["devices"] as? [UUID])?.count ?? 0,
    "and without archives:",
    keychain["devices"] == nil
)

print(try keychain.allKeys().sorted())
keychain["alice"] = nil
try keychain.removeAllObjects()
