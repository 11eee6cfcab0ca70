// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Valet

#if canImport(Darwin)
/// On Apple's platforms this trait does nothing: tests share the system's keychain and use unique names.
struct OwnKeychain: TestTrait, SuiteTrait {}

extension Trait where Self == OwnKeychain {
    static var ownKeychain: Self { Self() }
}
#else
import KeychainTesting

extension Trait where Self == TemporaryKeychainTrait {
    /// A keychain for a program with its own group, a shared group and an application group.
    static var ownKeychain: Self {
        .temporaryKeychain(
            applicationIdentifier: "TEAM.app",
            accessGroups: ["TEAM.app", "TEAM.shared", "group.shared", "TEAM.a", "TEAM.a_b"]
        )
    }
}
#endif

extension Identifier {
    /// Returns an identifier that no other test uses.
    static func fresh() throws -> Self { try #require(Self(nonEmpty: "canary-\(UUID())")) }

    static func named(_ name: String) throws -> Self { try #require(Self(nonEmpty: name)) }
}

extension SharedGroupIdentifier {
    static func team(_ name: String = "shared") throws -> Self {
        try #require(Self(appIDPrefix: "TEAM", nonEmptyGroup: name))
    }

    static func app(_ name: String = "shared") throws -> Self {
        try #require(Self(groupPrefix: "group", nonEmptyGroup: name))
    }
}
