// SPDX-License-Identifier: Apache-2.0

import KeychainItems

struct Session: Codable {
    var user: String
    var token: String
    var uses = 0
}

extension SecretKey<Session> {
    static let session = SecretKey("session")
}

let vault = Vault(service: "com.example.mail", accessibility: .afterFirstUnlock)

/// Uses the session; in an `async` function, the calls with a `SecretKey` do not block the caller.
func useSession() async throws {
    try await vault.set(Session(user: "alice", token: "8b1a9953"), for: .session)

    // The closure gets the stored value; no update of another task or program is lost.
    try await vault.update(.session) { session in
        session?.uses += 1
    }

    if let session = try await vault.get(.session) {
        print(session.user, "has used the token", session.uses, "time")
    }

    // Reading a secret that cannot be decoded as a session throws an error; the secret stays stored.
    try await vault.set("not a session", for: "session")
    do {
        _ = try await vault.get(.session)
    } catch {
        print("\(error.reason):", error.problem)
    }
    try await vault.remove(.session)
}

do {
    try await useSession()
} catch {
    switch (error as? VaultError)?.reason {
    case .locked?: print("locked: the session is kept; try again after an unlock")
    default: print(error)
    }
}
