// SPDX-License-Identifier: Apache-2.0

import KeychainItems

let vault = Vault(service: "com.example.mail")
do {
    try vault.set("correct horse", for: "alice")
    print("alice:", try vault.get("alice") ?? "no password")
} catch {
    switch error.reason {
    case .locked: print("locked: the password is kept; try again after an unlock")
    default: print(error)
    }
}

do {
    // `nil` means that no such password exists; every failure is thrown.
    print("bob:", try vault.get("bob") ?? "no password")

    do {
        try vault.add("battery staple", for: "alice")
    } catch {
        print("add:", error.reason, error.advice ?? "")
    }

    // Items have attributes, which can be listed without reading a secret.
    var work = GenericPassword(service: "com.example.mail", account: "alice@work")
    work.label = "Mail at work"
    try vault.set(work, secret: "four words")
    for item in try vault.items() {
        print(item.account, item.label ?? "", item.accessibility == .whenUnlocked)
    }

    // A transaction makes all of its changes or none.
    try vault.transaction { changes in
        try changes.set("new password", for: "alice")
        try changes.remove("alice@work")
    }
    print("keys:", try vault.keys().sorted())
    try vault.removeAll(.service)
} catch {
    print(error)
}
