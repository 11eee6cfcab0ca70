// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The targets of a stand-in for third-party packages with these target names, such as Square's Valet.
let names = ["Valet", "FXKeychain", "Lockbox", "Security", "LocalAuthentication"]

let package = Package(
    name: "OtherLibraries",
    products: names.map { .library(name: $0, targets: [$0]) },
    targets: names.map { .target(name: $0) }
)
