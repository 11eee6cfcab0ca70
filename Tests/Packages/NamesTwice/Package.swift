// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The folder's name, by which SwiftPM identifies a local package.
let keychain = Context.packageDirectory.split(separator: "/").dropLast(3).last.map { $0.lowercased() } ?? ""

/// Product names that other packages may use too; SwiftPM requires unique target names in a package graph.
let names = ["Valet", "FXKeychain", "Lockbox", "Security", "LocalAuthentication"]

/// Which package's targets get aliases, `ours` or `others`; Scripts/test-packages builds both.
let isOursAliased = Context.environment["ALIASED_PACKAGE"] != "others"

// The alias is specified for the product that contains the target.

func our(_ name: String) -> Target.Dependency {
    guard isOursAliased else { return .product(name: name, package: keychain) }
    return .product(name: name, package: keychain, moduleAliases: [name: "Keychain" + name])
}

func other(_ name: String) -> Target.Dependency {
    guard !isOursAliased else { return .product(name: name, package: "otherlibraries") }
    return .product(name: name, package: "otherlibraries", moduleAliases: [name: "Other" + name])
}

let services: Target.Dependency = .product(name: "KeychainServices", package: keychain)
let control: Target.Dependency = .product(name: "KeychainControl", package: keychain)

/// Targets of the app with names that a keychain package might use: they need no alias.
let ownNames = ["Certificates", "Fingerprint", "KeyedArchives", "Passwords", "Pinentry"]

let package = Package(
    name: "NamesTwice",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../.."), .package(path: "OtherLibraries")],
    targets: [
        .executableTarget(name: "ServicesAlone", dependencies: [services, control]),
        // Each side in a target of its own: `import Valet` imports the one that the target depends on.
        .executableTarget(name: "OurNames", dependencies: names.map(our)),
        .executableTarget(name: "OtherNames", dependencies: names.map(other)),
        // Both sides in one target: the aliased one is imported by its alias.
        .executableTarget(
            name: "BothNames",
            dependencies: names.map(our) + names.map(other),
            swiftSettings: isOursAliased ? [.define("OURS_ALIASED")] : []
        ),
        .executableTarget(
            name: "OwnNames",
            dependencies: [services] + ownNames.map { .target(name: $0) }
        ),
    ] + ownNames.map { .target(name: $0, path: "OwnTargets/\($0)") }
)
