// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

/// The folder of the package under test; SwiftPM names the package, and what is `package` in it, after the folder.
let subject = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().lastPathComponent

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Measures the engine below the dictionaries; only a root package may say so, and this one is never a dependency.
    .unsafeFlags(["-package-name", packageName(of: subject)]),
]

func packageName(of identity: String) -> String {
    String(identity.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(path: ".."),
        // The reference of the section on keys.
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
                // Built with the rest, so that its start can be measured.
                .product(name: "security", package: subject),
            ],
            // Else SwiftPM puts this package's name after the one in the settings.
            packageAccess: false,
            swiftSettings: settings
        ),
    ]
)
