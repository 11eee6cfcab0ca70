// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

#if !canImport(Darwin)
import KeychainTesting
#endif

/// A kind of valet: how it is created, and the attributes of its items.
struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (Accessibility) throws -> Valet?
    let service: @Sendable (Accessibility) -> String
    var group = ""
    var synchronizes = false

    var testDescription: String { name }

    /// The accessibilities that valets of this kind can have.
    ///
    /// On Apple's platforms a device may lack a passcode, so the class that requires one is left out.
    var accessibilities: [Accessibility] {
        Accessibility.allCases.filter { accessibility in
            if synchronizes { return CloudAccessibility(accessibility) != nil }
            #if canImport(Darwin)
            return accessibility != .whenPasscodeSetThisDeviceOnly
            #else
            return true
            #endif
        }
    }

    /// Returns a valet of this kind; sets a passcode first if the accessibility requires one.
    func valet(_ accessibility: Accessibility) throws -> Valet {
        #if !canImport(Darwin)
        if accessibility == .whenPasscodeSetThisDeviceOnly {
            try TemporaryKeychain.current.setPasscode("canary passcode")
        }
        #endif
        return try #require(try make(accessibility))
    }

    /// Returns the attributes that a query without a valet needs for such items, besides account and service.
    func attributes(_ accessibility: Accessibility) -> [String: Any] {
        var attributes: [String: Any] = [
            kSecAttrAccessible as String: accessibility.secAccessibilityAttribute
        ]
        if !group.isEmpty { attributes[kSecAttrAccessGroup as String] = group }
        if synchronizes { attributes[kSecAttrSynchronizable as String] = true }
        return attributes
    }

    static let table: [Self] = [
        Kind(
            name: "standard",
            make: { .valet(with: try .named("canary"), accessibility: $0) },
            service: { "VAL_VALValet_initWithIdentifier:accessibility:_canary_\($0)" }
        ),
        Kind(
            name: "iCloud",
            make: { accessibility in
                try CloudAccessibility(accessibility).map {
                    .iCloudValet(with: try .named("canary"), accessibility: $0)
                }
            },
            service: { "VAL_VALSynchronizableValet_initWithIdentifier:accessibility:_canary_\($0)" },
            synchronizes: true
        ),
        Kind(
            name: "shared group",
            make: { .sharedGroupValet(with: try .team(), accessibility: $0) },
            service: { "VAL_VALValet_initWithSharedAccessGroupIdentifier:accessibility:_shared_\($0)" },
            group: "TEAM.shared"
        ),
        Kind(
            name: "shared group with an identifier",
            make: {
                .sharedGroupValet(with: try .app(), identifier: try .named("canary"), accessibility: $0)
            },
            service: {
                "VAL_VALValet_initWithSharedAccessGroupIdentifier:accessibility:_shared_canary_\($0)"
            },
            group: "group.shared"
        ),
        Kind(
            name: "iCloud shared group",
            make: { accessibility in
                try CloudAccessibility(accessibility).map {
                    .iCloudSharedGroupValet(with: try .team(), accessibility: $0)
                }
            },
            service: {
                "VAL_VALSynchronizableValet_initWithSharedAccessGroupIdentifier:accessibility:_shared_\($0)"
            },
            group: "TEAM.shared",
            synchronizes: true
        ),
        Kind(
            name: "iCloud shared group with an identifier",
            make: { accessibility in
                try CloudAccessibility(accessibility).map {
                    .iCloudSharedGroupValet(
                        with: try .app(),
                        identifier: try .named("canary"),
                        accessibility: $0
                    )
                }
            },
            service: {
                "VAL_VALSynchronizableValet_initWithSharedAccessGroupIdentifier:accessibility:_shared_canary_\($0)"
            },
            group: "group.shared",
            synchronizes: true
        ),
        Kind(
            name: "explicitly set",
            make: { .valet(withExplicitlySet: try .named("canary service"), accessibility: $0) },
            service: { _ in "canary service" }
        ),
        Kind(
            name: "iCloud, explicitly set",
            make: { accessibility in
                try CloudAccessibility(accessibility).map {
                    .iCloudValet(withExplicitlySet: try .named("canary service"), accessibility: $0)
                }
            },
            service: { _ in "canary service" },
            synchronizes: true
        ),
        Kind(
            name: "shared group, explicitly set",
            make: { .sharedGroupValet(withExplicitlySet: try .team(), accessibility: $0) },
            service: { _ in "shared" },
            group: "TEAM.shared"
        ),
        Kind(
            name: "iCloud shared group, explicitly set",
            make: { accessibility in
                try CloudAccessibility(accessibility).map {
                    .iCloudSharedGroupValet(withExplicitlySet: try .team(), accessibility: $0)
                }
            },
            service: { _ in "shared" },
            group: "TEAM.shared",
            synchronizes: true
        ),
    ]

    static let cases = table.flatMap { kind in kind.accessibilities.map { (kind, $0) } }
}

extension CloudAccessibility {
    init?(_ accessibility: Accessibility) { self.init(rawValue: accessibility.rawValue) }
}
