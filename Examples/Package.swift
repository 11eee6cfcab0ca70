// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

/// The name of the folder of the package under test.
///
/// SwiftPM names a package that is given by its path after its folder.
let subject = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().lastPathComponent

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: subject) }

/// An example program; `Scripts/test-examples` runs it.
func example(_ name: String, imports: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: imports.map(product),
        path: name,
        exclude: ["output.txt"],
        swiftSettings: settings
    )
}

/// One of the apps that `SharedItems/run` starts.
func sharingApp(_ name: String) -> Target {
    .executableTarget(
        name: "Shared\(name)",
        dependencies: [product("KeychainItems")],
        path: "SharedItems/\(name)",
        swiftSettings: settings
    )
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    // Scripts/demo disables this trait, so that the first program is built sooner.
    traits: [.default(enabledTraits: ["Objects"]), .trait(name: "Objects")],
    dependencies: [
        .package(path: "..", traits: [.trait(name: "Objects", condition: .when(traits: ["Objects"]))])
    ],
    targets: [
        example("PasswordExample", imports: ["KeychainItems"]),
        example("TypedKeyExample", imports: ["KeychainItems"]),
        example("IdentityExample", imports: ["KeychainItems"]),
        example("Passwords", imports: ["KeychainServices"]),
        example("AccessControlExample", imports: ["KeychainServices"]),
        example("ControlExample", imports: ["KeychainControl"]),
        example("GettingStartedExample", imports: ["KeychainServices"]),
        example("ComingFromExample", imports: ["KeychainServices"]),
        example("ValetExample", imports: ["Valet"]),
        example("FXKeychainExample", imports: ["FXKeychain"]),
        example("LockboxExample", imports: ["Lockbox", "KeychainServices"]),
        sharingApp("Mail"),
        sharingApp("Calendar"),
        sharingApp("Notes"),
        // A part of an app, and its tests.
        .target(
            name: "SessionExample",
            dependencies: [product("KeychainServices")],
            path: "SessionExample",
            swiftSettings: settings
        ),
        .testTarget(
            name: "SessionExampleTests",
            dependencies: ["SessionExample", product("KeychainServices"), product("KeychainTesting")],
            path: "SessionExampleTests",
            swiftSettings: settings
        ),
    ]
)
