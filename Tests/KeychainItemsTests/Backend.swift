// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainItemsOverSecItem
import KeychainTestSupport
import Testing

/// The two implementations under `Vault`, on which the same tests run.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case client, secItem

    func vault(_ service: String = "canary.service") -> Vault {
        switch self {
        case .client: Vault(service: service)
        case .secItem: Vault(service: service, over: SecItemBackend())
        }
    }

    var testDescription: String { rawValue }
}

/// A `Codable` value for tests, stored as JSON.
struct Session: Codable, Hashable, Sendable {
    var token: String
    var count = 0
}

extension SecretKey<Session> {
    static let session = SecretKey("canary session")
}

extension SecretKey<Int> {
    static let counter = SecretKey("canary counter")
}
