// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Lockbox

let lockbox = Lockbox(keyPrefix: "com.example.mail")

lockbox.archiveObject("correct-horse", forKey: "password")
lockbox.archiveObject(
    ["imap.example", "smtp.example"],
    forKey: "servers",
    accessibility: kSecAttrAccessibleAfterFirstUnlock
)
if let servers = lockbox.unarchiveObject(forKey: "servers") as? [String] {
    print(servers)
}
print("password:", lockbox.unarchiveObject(forKey: "password") as? String ?? "none")

struct Session: Codable {
    var token: String
    var expires: Date
}
let session = Session(token: "abc", expires: .distantFuture)
try lockbox.archive(session, forKey: "session")
let stored = try lockbox.unarchive(Session.self, forKey: "session")
print("token of \(stored?.token.count ?? 0) characters")

do {
    let pin = try lockbox.unarchivedObject(forKey: "pin")
    print(pin == nil ? "certainly no pin" : "a pin")
} catch {
    print("cannot be read now: \(error)")
}

if !lockbox.removeObject(forKey: "pin") {
    print("removed nothing: \(lockbox.lastStatus == errSecItemNotFound)")
}

// An item that a program with Lockbox 2 stored.
let old: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail.folders",
    kSecValueData: Data("inbox-|-sent".utf8),
]
SecItemAdd(old as CFDictionary, nil)

let upgraded = try lockbox.upgradeToArchive(["folders": .array, "lastSync": .date])
print("upgraded \(upgraded.sorted()): \(lockbox.unarchiveObject(forKey: "folders") as? [String] ?? [])")
