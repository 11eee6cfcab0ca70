// SPDX-License-Identifier: Apache-2.0

import KeychainItems

// Without a group, a vault adds items to the first group of the program's entitlements or signature.
let vault = Vault(service: "com.example.account")
do {
    try vault.set("correct horse", for: "alice")
    for item in try vault.items() { print("mail:     stored in", item.accessGroup?.rawValue ?? "no group") }
} catch {
    print("mail:    ", error)
}
