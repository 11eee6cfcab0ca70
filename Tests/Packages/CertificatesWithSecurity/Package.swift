// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The name of the package's folder, by which SwiftPM identifies a local package.
let keychain = Context.packageDirectory.split(separator: "/").dropLast(3).last.map { $0.lowercased() } ?? ""

// The product `Security` gets a module alias, because swift-certificates compiles other code under `#if
// canImport(Security)`. SwiftPM puts all modules of a build into one folder, where everything compiled later
// would find a module called `Security`. With the alias, the module has another name on disk, and `import
// Security` works only in targets that depend on the product.
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
