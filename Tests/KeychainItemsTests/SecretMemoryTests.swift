// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainModel
import KeychainTestSupport
import Testing

/// Secrets that passed through a `Vault` do not remain in memory.
@Suite(.searchedKeychain(accessGroups: ["TEAM.app"]), .serialized) struct SecretMemoryTests {
    private let hidden = Hidden(random: 48)

    private var secret: KeychainItems.SecretBytes {
        hidden.exposed.withBytes { KeychainItems.SecretBytes(copying: $0) }
    }

    @Test func `a secret that is set, read and updated is overwritten on release`() throws {
        let vault = Vault(service: "canary")
        let control = secret
        // The search must find the secret while it exists; otherwise finding none later would prove nothing.
        #expect(hidden.count == 1)
        _ = consume control
        try vault.set(secret, for: "canary")
        #expect(hidden.count == 0)
        // The first reads fill the cache of search results, in which the value stays encrypted.
        for _ in 0..<3 {
            let isRead = try vault.get("canary", as: KeychainItems.SecretBytes.self)?.count == 48
            #expect(isRead)
        }
        #expect(hidden.count == 0)
        let key = SecretKey<KeychainItems.SecretBytes>("canary")
        try vault.update(key) { $0 = $0 }
        try vault.transaction { changes in try changes.set(secret, for: "canary two") }
        #expect(try vault.items(matching: .genericPasswords(), including: .secret).count == 2)
        #expect(hidden.count == 0)
    }
}
