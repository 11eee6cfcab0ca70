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
    // The targets use `package` declarations below the API. libFuzzer contains the program's `main`.
    .unsafeFlags(["-package-name", packageName(of: subject), "-parse-as-library"]),
]

func packageName(of identity: String) -> String {
    String(identity.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let package = Package(
    name: "Fuzz",
    // These traits enable the parsers of PKCS #12 archives, encrypted keys, certificate chains and KeePass databases.
    dependencies: [.package(path: "..", traits: ["PKCS12", "Trust", "KeePass"])],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "KeychainServices", package: subject),
                // Contains `KeychainWrapperSupport`, which parses property lists and keyed archives.
                .product(name: "FXKeychain", package: subject),
            ],
            // Without this, SwiftPM passes this package's own name too, after the name in `settings`.
            packageAccess: false,
            swiftSettings: settings
        )
    ]
)
