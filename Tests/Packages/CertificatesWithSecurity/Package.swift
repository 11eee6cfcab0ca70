// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The folder's name, by which SwiftPM identifies a package at a local path.
let keychain = Context.packageDirectory.split(separator: "/").dropLast(3).last.map { $0.lowercased() } ?? ""

// swift-certificates has code under `#if canImport(Security)`, and in one build every module lies in the same folder:
// a module of that name would be found by whatever is compiled after it. The alias keeps it out of the way: on the disk
// the module has the other name, and `import Security` means it in the targets that ask for it and nowhere else.
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
