// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

#if canImport(Darwin)
let isApplePlatform = true
#else
let isApplePlatform = false
#endif

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Sources say `unsafe` where they are; inside `#expect` the marker is refused, so tests go without.
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
let sourceSettings: [SwiftSetting] = settings + [.strictMemorySafety()]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let x509: Target.Dependency = .product(
    name: "X509",
    package: "swift-certificates",
    condition: .when(traits: ["Trust"])
)
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

func layer(_ name: String, imports: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: sourceSettings)
}

func tests(_ name: String, imports: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: imports, resources: resources, swiftSettings: settings)
}

/// A program that shows how something is used; `Scripts/test-examples` runs it.
func example(_ name: String, imports: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name,
        dependencies: imports,
        path: "Examples/\(name)",
        exclude: ["output.txt"],
        swiftSettings: settings
    )
}

/// The wrappers, which know nothing but the API: the same sources on every platform.
let wrappers: [Target] = [
    layer("KeyedArchives", imports: []),
    layer("Valet", imports: ["KeychainServices"]),
    layer("PasswordItems", imports: ["KeychainServices"]),
    layer("FXKeychain", imports: ["KeychainServices", "KeyedArchives", "PasswordItems"]),
    layer("Lockbox", imports: ["KeychainServices", "KeyedArchives", "PasswordItems"]),
]

/// What the tests of the wrappers share: on Apple's platforms on the system's keychain.
let wrapperTestSupport: Target = .target(
    name: "WrapperTestSupport",
    dependencies: ["KeychainServices"] + (isApplePlatform ? [] : ["KeychainTesting"]),
    path: "Tests/WrapperTestSupport",
    swiftSettings: settings
)

// On Apple's platforms the system's framework takes the engine's place: only the re-export is built.
let appleTargets: [Target] =
    [.target(name: "KeychainServices", sources: ["Exports.swift"], swiftSettings: sourceSettings)]
    + wrappers + [
        wrapperTestSupport,
        tests("KeyedArchivesTests", imports: ["KeyedArchives"]),
        tests("ValetTests", imports: ["Valet", "KeychainServices"]),
        tests("FXKeychainTests", imports: ["FXKeychain", "KeychainServices", "WrapperTestSupport"]),
        tests("LockboxTests", imports: ["Lockbox", "KeychainServices", "WrapperTestSupport"]),
    ]

// From the floor upward; `Tests/ArchitectureTests` holds the edges to this list.
let linuxTargets: [Target] = [
    // No pkgConfig: the header is where the compiler looks anyway, and those who do without the trait would be warned.
    .systemLibrary(name: "CLibCrypto"),
    .systemLibrary(name: "CLibSystemd"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLinux"),
    layer("KeychainModel", imports: []),
    layer("PrivateFiles", imports: ["KeychainModel"]),
    layer("DataProtection", imports: ["KeychainModel", "PrivateFiles", "CLinux", crypto, cryptoExtras]),
    layer("ItemStore", imports: ["KeychainModel", "PrivateFiles", "CSQLite"]),
    layer("Pinentry", imports: ["PrivateFiles", "CLinux"]),
    layer(
        "Fingerprint",
        imports: ["Pinentry", .target(name: "CLibSystemd", condition: .when(traits: ["Fingerprint"]))]
    ),
    layer("AsymmetricKeys", imports: ["KeychainModel", crypto, cryptoExtras, asn1]),
    layer("Certificates", imports: ["KeychainModel", asn1]),
    layer("CertificateTrust", imports: ["KeychainModel", x509, asn1]),
    layer(
        "PKCS12",
        imports: [
            "KeychainModel", "PrivateFiles",
            .target(name: "CLibCrypto", condition: .when(traits: ["PKCS12"])),
        ]
    ),
    layer(
        "KeychainEngine",
        imports: [
            "KeychainModel", "PrivateFiles", "DataProtection", "ItemStore", "Certificates",
            "CertificateTrust",
        ]
    ),
    layer(
        "KeychainTransport",
        imports: ["KeychainModel", "PrivateFiles", "DataProtection", "KeychainEngine"]
    ),
    layer(
        "KeychainServices",
        imports: [
            "KeychainModel", "PrivateFiles", "Pinentry", "Fingerprint", "KeychainTransport", "AsymmetricKeys",
            "Certificates", "CertificateTrust", "PKCS12",
        ]
    ),
    layer("Security", imports: ["KeychainServices"]),
    layer("LocalAuthentication", imports: ["KeychainServices"]),
    layer("KeychainControl", imports: ["KeychainModel", "PrivateFiles", "KeychainTransport"]),
    layer(
        "KeychainTesting",
        imports: [
            "KeychainModel", "PrivateFiles", "DataProtection", "Pinentry", "KeychainEngine",
            "KeychainTransport",
            "KeychainServices",
        ]
    ),
    .executableTarget(
        name: "SecurityTool",
        dependencies: ["KeychainServices", "KeychainControl", "CLinux", argumentParser],
        swiftSettings: sourceSettings
    ),
    example("Passwords", imports: ["KeychainServices"]),
    example("ControlExample", imports: ["KeychainControl"]),
    example("GettingStartedExample", imports: ["KeychainServices"]),
    example("ComingFromExample", imports: ["KeychainServices"]),
    example("ValetExample", imports: ["Valet"]),
    example("FXKeychainExample", imports: ["FXKeychain"]),
    example("LockboxExample", imports: ["Lockbox", "KeychainServices"]),
    // A part of an app, and tests of it as the app's author writes them.
    .target(
        name: "SessionExample",
        dependencies: ["KeychainServices"],
        path: "Examples/SessionExample",
        swiftSettings: settings
    ),
    .testTarget(
        name: "SessionExampleTests",
        dependencies: ["SessionExample", "KeychainServices", "KeychainTesting"],
        path: "Examples/SessionExampleTests",
        swiftSettings: settings
    ),
    tests("ArchitectureTests", imports: []),
    tests("CompatibilityTests", imports: []),
    tests("KeychainModelTests", imports: ["KeychainModel"]),
    tests("PrivateFilesTests", imports: ["PrivateFiles", "KeychainModel"]),
    tests("PinentryTests", imports: ["Pinentry", "PrivateFiles", "KeychainTestSupport"]),
    tests(
        "FingerprintTests",
        imports: [
            "Fingerprint", "Pinentry", "PrivateFiles", "KeychainServices", "Valet", "KeychainTestSupport",
            "KeychainTestTool",
        ]
    ),
    tests(
        "DataProtectionTests",
        imports: ["DataProtection", "PrivateFiles", "KeychainModel", "KeychainTestSupport"]
    ),
    tests("AsymmetricKeysTests", imports: ["AsymmetricKeys", "KeychainTestSupport"]),
    tests("CertificatesTests", imports: ["Certificates", "KeychainModel", "KeychainTestSupport"]),
    tests(
        "CertificateTrustTests",
        imports: ["CertificateTrust", "KeychainModel", "KeychainTestSupport", x509, asn1]
    ),
    tests("PKCS12Tests", imports: ["PKCS12", "KeychainModel", "KeychainTestSupport"]),
    tests("ItemStoreTests", imports: ["ItemStore", "PrivateFiles", "KeychainModel", "CSQLite"]),
    tests(
        "KeychainEngineTests",
        imports: [
            "KeychainEngine", "KeychainModel", "KeychainTransport", "KeychainTestSupport", "KeychainTestTool",
            "DataProtection", "PrivateFiles", "CSQLite", crypto,
        ]
    ),
    .target(
        name: "KeychainTestSupport",
        dependencies: [
            "KeychainModel", "KeychainEngine", "DataProtection", "PrivateFiles", "Pinentry", "Fingerprint",
            "KeychainTesting", "KeychainTransport", "CProbes",
        ],
        path: "Tests/KeychainTestSupport",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "KeychainTestTool",
        dependencies: ["KeychainServices", "KeychainControl", "Fingerprint", "Valet", "CProbes"],
        path: "Tests/KeychainTestTool",
        swiftSettings: settings
    ),
    tests(
        "KeychainTransportTests",
        imports: [
            "KeychainTransport", "KeychainEngine", "KeychainModel", "DataProtection", "PrivateFiles",
            "KeychainTestSupport", "KeychainTestTool",
        ]
    ),
    tests(
        "KeychainServicesTests",
        imports: [
            "KeychainServices", "KeychainModel", "KeychainTestSupport", "AsymmetricKeys", "Pinentry",
            "KeychainTransport", "PrivateFiles",
        ]
    ),
    tests(
        "FuzzTests",
        imports: [
            "AsymmetricKeys", "Certificates", "DataProtection", "PrivateFiles", "KeychainModel",
            "KeychainEngine", "KeychainTransport", "KeychainServices", "KeyedArchives", "KeychainTestSupport",
            "Pinentry",
        ]
    ),
    // The compile contract: programs as others write them, in their language mode and with what they import.
    .target(
        name: "SourceCompatibility",
        dependencies: ["Security", "LocalAuthentication"],
        path: "Tests/SourceCompatibility/Programs",
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
        name: "SourceCompatibilityTests",
        dependencies: ["SourceCompatibility", "Security", "KeychainTestSupport"],
        path: "Tests/SourceCompatibility/Effects",
        swiftSettings: settings
    ),
    .target(name: "CProbes", path: "Tests/CProbes"),
    .target(name: "CRecordingVFS", dependencies: ["CSQLite"], path: "Tests/CRecordingVFS"),
    tests(
        "CrashTests",
        imports: [
            "KeychainModel", "KeychainEngine", "DataProtection", "PrivateFiles", "CRecordingVFS", "CSQLite",
        ]
    ),
    tests("KeyedArchivesTests", imports: ["KeyedArchives"]),
    tests(
        "ValetTests",
        imports: ["Valet", "KeychainServices", "KeychainTesting", "KeychainTestSupport", "KeychainTestTool"]
    ),
    wrapperTestSupport,
    tests(
        "FXKeychainTests",
        imports: ["FXKeychain", "KeychainServices", "KeychainTesting", "WrapperTestSupport"]
    ),
    tests("LockboxTests", imports: ["Lockbox", "KeychainServices", "KeychainTesting", "WrapperTestSupport"]),
    tests("KeychainTestingTests", imports: ["KeychainTesting", "KeychainServices"]),
    tests(
        "SecurityToolTests",
        imports: ["SecurityTool", "KeychainTestSupport", "KeychainTestTool"],
        resources: [.copy("Transcripts")]
    ),
]

let package = Package(
    name: "swift-keychain",
    platforms: [.macOS(.v15), .iOS(.v18), .watchOS(.v11), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "KeychainServices", targets: ["KeychainServices"]),
        .library(name: "Valet", targets: ["Valet"]),
        .library(name: "FXKeychain", targets: ["FXKeychain"]),
        .library(name: "Lockbox", targets: ["Lockbox"]),
    ]
        + (isApplePlatform
            ? []
            : [
                .library(name: "KeychainControl", targets: ["KeychainControl"]),
                .library(name: "KeychainTesting", targets: ["KeychainTesting"]),
                .library(name: "Security", targets: ["Security"]),
                .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
                .executable(name: "security", targets: ["SecurityTool"]),
            ]),
    traits: [
        .trait(
            name: "Trust",
            description: "SecTrust, kSecMatchPolicy and kSecMatchTrustedOnly, through swift-certificates"
        ),
        .trait(name: "PKCS12", description: "SecPKCS12Import, through the system's libcrypto (OpenSSL 3)"),
        .trait(
            name: "Fingerprint",
            description: "LAContext asks for fingers, through fprintd and libsystemd"
        ),
    ],
    dependencies: isApplePlatform
        ? []
        : [
            .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
            .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
            .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
            .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        ],
    targets: isApplePlatform ? appleTargets : wrappers + linuxTargets
)
