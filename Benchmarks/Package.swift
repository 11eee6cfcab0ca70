// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

/// The name of the folder of the package under test.
///
/// From this name, SwiftPM derives the package's identity, and the package name to which the access level
/// `package` is limited.
let subject = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().lastPathComponent

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The benchmark uses `package` declarations of the store, below the API. Only a root package may set
    // unsafe flags; this package is never a dependency.
    .unsafeFlags(["-package-name", packageName(of: subject)]),
]

func packageName(of identity: String) -> String {
    String(identity.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(path: ".."),
        // The section `keys` compares `SecKey` functions with swift-crypto.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .target(
            name: "CReference",
            cSettings: [.unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("crypto")]
        ),
        .executableTarget(
            name: "KeychainBenchmark",
            dependencies: [
                "CReference",
                .product(name: "KeychainItems", package: subject),
                .product(name: "KeychainServices", package: subject),
                .product(name: "KeychainControl", package: subject),
                .product(name: "Valet", package: subject),
                .product(name: "FXKeychain", package: subject),
                .product(name: "Lockbox", package: subject),
                .product(name: "Crypto", package: "swift-crypto"),
                // The benchmark runs these programs, so they are built with it.
                .product(name: "security", package: subject),
                .product(name: "securityd", package: subject),
                .product(name: "keychain-identify", package: subject),
            ],
            // Without this, SwiftPM passes this package's own name too, after the name in `settings`.
            packageAccess: false,
            swiftSettings: settings
        ),
    ]
)
