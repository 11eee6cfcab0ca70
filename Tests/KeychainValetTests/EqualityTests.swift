// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

@Suite(.ownKeychain) struct EqualityTests {
    private static func makeValets() throws -> [Valet] {
        let name = try Identifier.named("canary")
        return [
            .valet(with: name, accessibility: .whenUnlocked),
            .valet(with: name, accessibility: .afterFirstUnlock),
            .valet(with: try .named("canary2"), accessibility: .whenUnlocked),
            .iCloudValet(with: name, accessibility: .whenUnlocked),
            // These have the same service string and different access groups.
            .sharedGroupValet(with: try .team(), accessibility: .whenUnlocked),
            .sharedGroupValet(with: try .app(), accessibility: .whenUnlocked),
            // These have the same service string, because the group names contain the separator.
            .sharedGroupValet(with: try .team("a_b"), accessibility: .whenUnlocked),
            .sharedGroupValet(
                with: try .team("a"),
                identifier: try .named("b"),
                accessibility: .whenUnlocked
            ),
            .iCloudSharedGroupValet(with: try .team(), accessibility: .whenUnlocked),
            // These have the same service string, but differ in accessibility, kind or group.
            .valet(withExplicitlySet: try .named("shared"), accessibility: .whenUnlocked),
            .valet(withExplicitlySet: try .named("shared"), accessibility: .afterFirstUnlock),
            .iCloudValet(withExplicitlySet: try .named("shared"), accessibility: .whenUnlocked),
            .sharedGroupValet(withExplicitlySet: try .team(), accessibility: .whenUnlocked),
            .sharedGroupValet(withExplicitlySet: try .app(), accessibility: .whenUnlocked),
            .iCloudSharedGroupValet(withExplicitlySet: try .team(), accessibility: .whenUnlocked),
            // These names are canonically equivalent strings of different bytes.
            .valet(with: try .named("\u{e9}"), accessibility: .whenUnlocked),
            .valet(with: try .named("e\u{301}"), accessibility: .whenUnlocked),
        ]
    }

    @Test func `equal valets are the same object, and different ones are not equal`() throws {
        let (valets, again) = (try Self.makeValets(), try Self.makeValets())
        for (first, valet) in valets.enumerated() {
            for (second, other) in again.enumerated() {
                let isSame = first == second
                #expect((valet === other) == isSame, "\(valet) \(other)")
                #expect((valet == other) == isSame)
                #expect(valet.isEqual(other) == isSame)
                #expect(Self.areEqual(valet, other) == isSame)
                if isSame { #expect(valet.hash == other.hash) }
            }
        }
        #expect(Set(valets + again).count == valets.count)
        #expect(!valets[0].isEqual("canary"))
    }

    /// Returns whether two values are equal as generic code, such as collections and XCTest, compares them.
    private static func areEqual<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }

    @Test func `equal enclave valets are the same object, and different ones are not equal`() throws {
        let (name, controls) = (
            try Identifier.named("canary"), [SecureEnclaveAccessControl.userPresence, .devicePasscode]
        )
        var valets: [NSObject] = []
        for control in controls {
            let valet = SecureEnclaveValet.valet(with: name, accessControl: control)
            #expect(valet === SecureEnclaveValet.valet(with: name, accessControl: control))
            #expect(valet == SecureEnclaveValet.valet(with: name, accessControl: control))
            #expect(valet.accessControl == control && valet.identifier.description == "canary")
            #expect(valet.description.hasSuffix("AccessibleWhenPasscodeSetThisDeviceOnly (Secure Enclave)"))
            let shared = SecureEnclaveValet.sharedGroupValet(with: try .team(), accessControl: control)
            #expect(shared.identifier.description == "TEAM.shared")
            let single = SinglePromptSecureEnclaveValet.valet(with: name, accessControl: control)
            #expect(single === SinglePromptSecureEnclaveValet.valet(with: name, accessControl: control))
            #expect(single == SinglePromptSecureEnclaveValet.valet(with: name, accessControl: control))
            #expect(single.accessControl == control && single.identifier.description == "canary")
            #expect(single.description.hasSuffix("AccessibleWhenPasscodeSetThisDeviceOnly (Single Prompt)"))
            let sharedSingle = SinglePromptSecureEnclaveValet.sharedGroupValet(
                with: try .app(),
                identifier: name,
                accessControl: control
            )
            #expect(sharedSingle.identifier.description == "canary")
            valets += [valet, shared, single, sharedSingle]
        }
        #expect(Set(valets).count == 8)
    }

    @Test func `an object is released with its last reference`() throws {
        let name = try Identifier.fresh()
        weak var first: Valet?
        do {
            let valet = Valet.valet(with: name, accessibility: .whenUnlocked)
            first = valet
            #expect(first != nil)
            withExtendedLifetime(valet) {}
        }
        #expect(first == nil)
        // Creates more valets than the registry keeps before it removes entries of released ones.
        for number in 0..<200 {
            _ = Valet.valet(with: try .named("\(name)-\(number)"), accessibility: .whenUnlocked)
        }
        let valet = Valet.valet(with: name, accessibility: .whenUnlocked)
        #expect(valet === Valet.valet(with: name, accessibility: .whenUnlocked))
    }

    @Test func `shared groups with the same name are separate`() throws {
        let team = Valet.sharedGroupValet(with: try .team(), accessibility: .whenUnlocked)
        let app = Valet.sharedGroupValet(with: try .app(), accessibility: .whenUnlocked)
        try team.setString("canary team", forKey: "key")
        #expect(throws: KeychainError.itemNotFound) { try app.string(forKey: "key") }
        try app.setString("canary app", forKey: "key")
        #expect(try team.string(forKey: "key") == "canary team")
        try app.removeAllObjects()
        #expect(try team.string(forKey: "key") == "canary team")
        try team.removeAllObjects()
    }

    @Test func `threads that create the same valet concurrently get one object`() throws {
        let name = try Identifier.fresh()
        let valets = Collected<Valet>()
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            valets.append(.valet(with: name, accessibility: .whenUnlocked))
        }
        #expect(Set(valets.all.map { ObjectIdentifier($0) }).count == 1)
    }
}
