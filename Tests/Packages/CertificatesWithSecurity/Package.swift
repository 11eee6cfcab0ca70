// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The folder's name, by which SwiftPM identifies a local package.
let keychain = Context.packageDirectory.split(separator: "/").dropLast(3).last.map { $0.lowercased() } ?? ""

// swift-certificates has code under `#if canImport(Security)`. All modules of a build are in one folder, so a
// module of that name would be found by everything that is compiled after it. With the alias, the module has
// another name on disk, and `import Security` works only in targets that depend on it.
let package = Package(
    name: "CertificatesWithSecurity",
    dependencies: [
        .package(path: "../../.."),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    ],
    targets: [
        .executableTarget(
            name: "Both",
            dependencies: [
                .product(
                    name: "Security",
                    package: keychain,
                    moduleAliases: ["Security": "KeychainSecurity"]
                ),
                .product(name: "X509", package: "swift-certificates"),
            ]
        ),
        .executableTarget(
            name: "CertificatesOnly",
            dependencies: [.product(name: "X509", package: "swift-certificates")]
        ),
    ]
)
