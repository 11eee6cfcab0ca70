// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Represents third-party packages with the same target names, such as Square's Valet.
let names = ["Valet", "FXKeychain", "Lockbox", "Security", "LocalAuthentication"]

let package = Package(
    name: "OtherLibraries",
    products: names.map { .library(name: $0, targets: [$0]) },
    targets: names.map { .target(name: $0) }
)
