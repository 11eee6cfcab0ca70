// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The name of the package's folder, by which SwiftPM identifies a local package.
let keychain = Context.packageDirectory.split(separator: "/").dropLast(3).last.map { $0.lowercased() } ?? ""

/// Product names that other packages also use.
///
/// SwiftPM requires target names to be unique in a package graph.
let names = ["Valet", "FXKeychain", "Lockbox", "Security", "LocalAuthentication"]

/// Whether swift-keychain's targets get module aliases; if not, the other package's targets get them.
///
/// Scripts/test-packages builds both variants.
let isOursAliased = Context.environment["ALIASED_PACKAGE"] != "others"

// A module alias is given with the dependency on the product that contains the target.

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

/// Names of the app's own targets that a keychain package might use for internal targets; they need no alias.
let ownNames = ["Certificates", "Fingerprint", "KeyedArchives", "Passwords", "Pinentry"]

let package = Package(
    name: "NamesTwice",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../../.."), .package(path: "OtherLibraries")],
    targets: [
        .executableTarget(name: "ServicesAlone", dependencies: [services, control]),
        // `import Valet` imports the module of the package that the target depends on.
        .executableTarget(name: "OurNames", dependencies: names.map(our)),
        .executableTarget(name: "OtherNames", dependencies: names.map(other)),
        // A target that uses both packages imports the aliased modules by their aliases.
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
