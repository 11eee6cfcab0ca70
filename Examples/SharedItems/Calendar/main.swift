// SPDX-License-Identifier: Apache-2.0

import KeychainItems

// Without a group, a vault searches all groups of the program.
let vault = Vault(service: "com.example.account")
do {
    print("calendar: found", try vault.get("alice") ?? "no password")
} catch {
    print("calendar:", error)
}
