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
    // Reaches the layers below the API, as the benchmarks do; and libFuzzer brings the program's `main`.
    .unsafeFlags(["-package-name", packageName(of: subject), "-parse-as-library"]),
]

func packageName(of identity: String) -> String {
    String(identity.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let package = Package(
    name: "Fuzz",
    // Archives, encrypted keys and certificate chains are untrusted bytes, too.
    dependencies: [.package(path: "..", traits: ["PKCS12", "Trust"])],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "KeychainServices", package: subject),
                // For the archives below it.
                .product(name: "FXKeychain", package: subject),
            ],
            // Else SwiftPM puts this package's name after the one in the settings.
            packageAccess: false,
            swiftSettings: settings
        )
    ]
)
