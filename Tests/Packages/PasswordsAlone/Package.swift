// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The name of the package's folder, by which SwiftPM identifies a local package.
let keychain = Context.packageDirectory.split(separator: "/").dropLast(3).last.map { $0.lowercased() } ?? ""

// All traits are disabled, including the default one, because passwords need neither swift-crypto nor
// swift-asn1.
let package = Package(
    name: "PasswordsAlone",
    dependencies: [.package(path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "PasswordsAlone",
            dependencies: [
                .product(name: "KeychainItems", package: keychain),
                .product(name: "KeychainServices", package: keychain),
                .product(name: "KeychainControl", package: keychain),
                .product(name: "Valet", package: keychain),
                .product(name: "FXKeychain", package: keychain),
                .product(name: "Lockbox", package: keychain),
            ]
        )
    ]
)
