// SPDX-License-Identifier: Apache-2.0

import Foundation
import Valet

// Store and read.
guard let identifier = Identifier(nonEmpty: "com.example.mail") else { exit(1) }
let valet = Valet.valet(with: identifier, accessibility: .afterFirstUnlock)

try valet.setString("correct-horse", forKey: "alice")
print("password: ", try valet.string(forKey: "alice"))
print("keys:     ", try valet.allKeys().sorted())

// Distinguish errors.
do {
    print(try valet.string(forKey: "bob"))
} catch .itemNotFound {
    print("bob:       has no password")
} catch .couldNotAccessKeychain {
    // The keychain may be locked; the value is still stored.
    print("bob:      ", valet.lastFailure?.message ?? "")
} catch {
    print("bob:      ", error)
}

// Values of Codable types.
struct Account: Codable {
    var server: String
    var port: Int
}
try valet.setValue(encoding: Account(server: "mail.example", port: 993), forKey: "account")
let account = try valet.value(Account.self, forKey: "account")
print("account:  ", account.server, account.port)

// Asynchronous calls.
let password = try await valet.async.string(forKey: "alice")
print("async:    ", password.count, "characters")

// List the items, without their values.
for item in try valet.items() {
    print("item:     ", item.key, item.accessibility.map { "\($0)" } ?? "")
}

// Move everything to another valet.
let locked = Valet.valet(with: identifier, accessibility: .whenUnlocked)
let progress = Progress(totalUnitCount: 0)
try locked.migrateObjects(from: valet, removeOnCompletion: true, progress: progress)
print("moved:    ", try locked.allKeys().sorted(), progress.completedUnitCount, "changes")

// Diagnose problems.
guard let group = SharedGroupIdentifier(appIDPrefix: "ABCDE12345", nonEmptyGroup: "com.example.shared") else {
    exit(1)
}
let shared = Valet.sharedGroupValet(with: group, accessibility: .whenUnlocked)
if !shared.canAccessKeychain() {
    for sentence in shared.diagnose().advice.prefix(1) { print("shared:   ", sentence) }
}

// Change the accessibility of items of other programs.
guard let service = Identifier(nonEmpty: "com.example.other") else { exit(1) }
let before = Valet.valet(withExplicitlySet: service, accessibility: .whenUnlocked)
try before.setString("token-1", forKey: "token")
let after = Valet.valet(withExplicitlySet: service, accessibility: .afterFirstUnlock)
try after.migrateObjects(from: before, removeOnCompletion: true)
print("token:    ", try after.string(forKey: "token"))

// Remove what this program stored, so that it can run again.
try locked.removeAllObjects()
try after.removeAllObjects()
