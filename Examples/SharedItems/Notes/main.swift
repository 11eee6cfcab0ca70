// SPDX-License-Identifier: Apache-2.0

import KeychainItems

let vault = Vault(service: "com.example.account")
do {
    print("notes:    found", try vault.get("alice") ?? "no password")
} catch {
    print("notes:   ", error)
}

// The argument is an access group of another team, which this app may not use.
if CommandLine.arguments.count > 1 {
    let other = Vault(service: "com.example.account", accessGroup: AccessGroup(CommandLine.arguments[1]))
    do {
        print("notes:    with that group,", try other.get("alice") ?? "no password")
    } catch {
        print("notes:    with that group,", error.reason)
    }
}
