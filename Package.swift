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

/// Strict memory safety, for sources only: `#expect` in tests does not accept the marker `unsafe`.
///
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
let sourceSettings: [SwiftSetting] = settings + [.strictMemorySafety()]

/// The condition for swift-crypto, which only keys and certificates need.
///
/// Compiling the BoringSSL in swift-crypto takes most of the time of a first build.
let objects: TargetDependencyCondition? = .when(traits: ["Objects"])
let secretService: TargetDependencyCondition? = .when(traits: ["SecretService"])
let synchronization: TargetDependencyCondition? = .when(traits: ["Synchronization"])
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto", condition: objects)
let cryptoExtras: Target.Dependency = .product(
    name: "CryptoExtras",
    package: "swift-crypto",
    condition: objects
)
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1", condition: objects)
let x509: Target.Dependency = .product(
    name: "X509",
    package: "swift-certificates",
    condition: .when(traits: ["Trust"])
)

/// The HTTP client with which synchronization, and nothing else, uses the network.
let http: [Target.Dependency] = [
    .product(name: "AsyncHTTPClient", package: "async-http-client", condition: synchronization),
    .product(name: "NIOCore", package: "swift-nio", condition: synchronization),
    .product(name: "NIOPosix", package: "swift-nio", condition: synchronization),
    .product(name: "NIOHTTP1", package: "swift-nio", condition: synchronization),
    .product(name: "NIOSSL", package: "swift-nio-ssl", condition: synchronization),
]

func layer(_ name: String, imports: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: sourceSettings)
}

func tests(_ name: String, imports: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: imports, resources: resources, swiftSettings: settings)
}

/// The wrappers: the same sources on every platform.
let wrappers: [Target] = [
    layer("KeychainWrapperSupport", imports: []),
    layer("Valet", imports: ["KeychainItems", "KeychainServices"]),
    layer("FXKeychain", imports: ["KeychainItems", "KeychainServices", "KeychainWrapperSupport"]),
    layer("Lockbox", imports: ["KeychainItems", "KeychainServices", "KeychainWrapperSupport"]),
]

/// Test support of the wrappers, which uses the system's keychain on Apple's platforms.
let wrapperTestSupport: Target = .target(
    name: "KeychainWrapperTestSupport",
    dependencies: ["KeychainServices"] + (isApplePlatform ? [] : ["KeychainTesting"]),
    path: "Tests/KeychainWrapperTestSupport",
    swiftSettings: settings
)

// On Apple's platforms, KeychainServices has no implementation: it only re-exports the system framework.
let appleTargets: [Target] =
    [
        .target(name: "KeychainServices", sources: ["Exports.swift"], swiftSettings: sourceSettings),
        .target(
            name: "KeychainModel",
            exclude: ["Bytes/SecretBytes.swift", "Wire"],
            swiftSettings: sourceSettings
        ),
        // Includes the sources of KeychainItemsOverSecItem, the back end over the system framework. On Linux
        // they are a separate module.
        .target(
            name: "KeychainItems",
            dependencies: ["KeychainModel"],
            path: "Sources",
            sources: ["KeychainItems", "KeychainItemsOverSecItem"],
            swiftSettings: sourceSettings
        ),
    ]
    + wrappers + [
        wrapperTestSupport,
        tests(
            "KeychainWrapperSupportTests",
            imports: [
                "KeychainWrapperSupport", "KeychainWrapperTestSupport", "KeychainServices", "Valet",
                "FXKeychain", "Lockbox",
            ]
        ),
        tests("KeychainValetTests", imports: ["Valet", "KeychainServices"]),
        tests(
            "KeychainFXKeychainTests",
            imports: ["FXKeychain", "KeychainServices", "KeychainWrapperTestSupport"]
        ),
        tests(
            "KeychainLockboxTests",
            imports: ["Lockbox", "KeychainServices", "KeychainWrapperTestSupport"]
        ),
    ]

// The layers from the lowest to the highest. `Tests/KeychainArchitectureTests` checks their dependencies.
let linuxTargets: [Target] = [
    // Only builds with certain traits use these three libraries. They have no pkgConfig, because SwiftPM would warn
    // about a missing library even in builds without the trait. Their headers are in the default search path.
    .systemLibrary(name: "CKeychainKeePass"),
    .systemLibrary(name: "CKeychainLibCrypto"),
    .systemLibrary(name: "CKeychainLibSystemd"),
    .systemLibrary(name: "CKeychainSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CKeychainSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CKeychainLinux"),
    .systemLibrary(name: "CKeychainExecutor"),
    layer("KeychainModel", imports: []),
    layer(
        "KeychainObjects",
        imports: [
            "KeychainModel", crypto, cryptoExtras, asn1, x509,
            .target(name: "CKeychainLibCrypto", condition: .when(traits: ["PKCS12"])),
            .target(name: "CKeychainKeePass", condition: .when(traits: ["KeePass"])),
        ]
    ),
    layer(
        "KeychainStore",
        imports: ["KeychainModel", "CKeychainLinux", "CKeychainSodium", "CKeychainSQLite"]
    ),
    layer("KeychainClient", imports: ["KeychainModel", "KeychainStore", "CKeychainLinux"]),
    layer(
        "KeychainUserPresence",
        imports: [
            "KeychainModel", "KeychainClient", "CKeychainLinux",
            .target(name: "CKeychainLibSystemd", condition: .when(traits: ["Fingerprint"])),
        ]
    ),
    layer(
        "KeychainServices",
        imports: ["KeychainModel", "KeychainClient", "KeychainObjects", "KeychainUserPresence"]
    ),
    layer(
        "KeychainItems",
        imports: ["KeychainModel", "KeychainClient", "KeychainObjects", "KeychainUserPresence"]
    ),
    layer("KeychainItemsOverSecItem", imports: ["KeychainModel", "KeychainItems", "KeychainServices"]),
    layer("Security", imports: ["KeychainServices"]),
    layer("LocalAuthentication", imports: ["KeychainServices"]),
    layer("KeychainControl", imports: ["KeychainModel", "KeychainClient", "CKeychainLinux"]),
    layer(
        "KeychainSync",
        imports: [
            "KeychainModel", "KeychainStore",
            .target(name: "CKeychainExecutor", condition: synchronization),
        ] + http
    ),
    layer(
        "KeychainDaemon",
        imports: ["KeychainModel", "KeychainStore", "KeychainClient", "CKeychainLinux"]
    ),
    .executableTarget(
        name: "KeychainIdentify",
        dependencies: ["KeychainDaemon", "CKeychainLinux"],
        swiftSettings: sourceSettings
    ),
    .executableTarget(
        name: "KeychainAgent",
        dependencies: ["KeychainModel", "KeychainClient", "KeychainUserPresence", "CKeychainLinux"],
        swiftSettings: sourceSettings
    ),
    .executableTarget(
        name: "KeychainDaemonTool",
        dependencies: [
            "KeychainModel", "KeychainClient", "KeychainObjects", "KeychainDaemon", "CKeychainLinux",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: sourceSettings
    ),
    .executableTarget(
        name: "KeychainSecretService",
        dependencies: [
            "KeychainModel", "KeychainClient", "KeychainUserPresence", "KeychainDaemon", "CKeychainLinux",
            .target(name: "CKeychainLibCrypto", condition: secretService),
            .target(name: "CKeychainLibSystemd", condition: secretService),
        ],
        swiftSettings: sourceSettings
    ),
    .executableTarget(
        name: "KeychainSyncTool",
        dependencies: [
            "KeychainModel", "KeychainStore", "KeychainClient", "KeychainSync", "CKeychainLinux",
        ],
        swiftSettings: sourceSettings
    ),
    layer(
        "KeychainTesting",
        imports: [
            "KeychainModel", "KeychainStore", "KeychainClient", "KeychainUserPresence", "KeychainServices",
            "CKeychainLinux",
        ]
    ),
    .executableTarget(
        name: "KeychainTool",
        dependencies: [
            "KeychainModel", "KeychainClient", "KeychainObjects", "KeychainUserPresence", "KeychainControl",
            "CKeychainLinux",
        ],
        swiftSettings: sourceSettings
    ),
    tests("KeychainArchitectureTests", imports: ["KeychainTestSupport"]),
    tests("KeychainModelTests", imports: ["KeychainModel"]),
    tests(
        "KeychainUserPresenceTests",
        imports: ["KeychainUserPresence", "KeychainModel", "KeychainTestSupport"]
    ),
    tests(
        "KeychainFingerprintTests",
        imports: [
            "KeychainUserPresence", "KeychainModel", "KeychainServices", "Valet", "KeychainTestSupport",
            "KeychainTestTool",
        ]
    ),
    tests(
        "KeychainObjectsTests",
        imports: ["KeychainObjects", "KeychainModel", "KeychainTestSupport", x509, asn1]
    ),
    tests(
        "KeychainStoreTests",
        imports: [
            "KeychainStore", "KeychainModel", "KeychainClient", "KeychainTestSupport", "KeychainTestTool",
            "CKeychainSQLite",
        ]
    ),
    .target(
        name: "KeychainTestSupport",
        dependencies: [
            "KeychainModel", "KeychainStore", "KeychainUserPresence", "KeychainTesting", "KeychainClient",
            "CKeychainProbes",
        ],
        path: "Tests/KeychainTestSupport",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "KeychainTestTool",
        dependencies: [
            "KeychainServices", "KeychainControl", "KeychainUserPresence", "KeychainItems",
            "KeychainItemsOverSecItem", "KeychainStore", "Valet", "FXKeychain", "Lockbox", "CKeychainProbes",
        ],
        path: "Tests/KeychainTestTool",
        swiftSettings: settings
    ),
    tests(
        "KeychainClientTests",
        imports: [
            "KeychainClient", "KeychainStore", "KeychainModel", "KeychainTestSupport", "KeychainTestTool",
        ]
    ),
    tests(
        "KeychainServicesTests",
        imports: [
            "KeychainServices", "KeychainModel", "KeychainStore", "KeychainClient", "KeychainTestSupport",
            "KeychainObjects", "KeychainUserPresence", "KeychainTesting", crypto,
        ]
    ),
    tests(
        "KeychainFuzzTests",
        imports: [
            "KeychainObjects", "KeychainStore", "KeychainModel", "KeychainClient", "KeychainServices",
            "KeychainWrapperSupport", "KeychainTestSupport", "KeychainUserPresence",
        ]
    ),
    // Programs in the style of existing keychain code, with its language mode and imports: they must compile.
    .target(
        name: "KeychainSourceCompatibility",
        dependencies: ["Security", "LocalAuthentication"],
        path: "Tests/KeychainSourceCompatibility/Programs",
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .target(
        name: "KeychainFoundationCompatibility",
        dependencies: ["Security"],
        path: "Tests/KeychainSourceCompatibility/Foundation",
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
        name: "KeychainSourceCompatibilityTests",
        dependencies: [
            "KeychainSourceCompatibility", "KeychainFoundationCompatibility", "Security",
            "KeychainTestSupport",
        ],
        path: "Tests/KeychainSourceCompatibility/Effects",
        swiftSettings: settings
    ),
    .target(name: "CKeychainProbes", path: "Tests/CKeychainProbes"),
    .target(
        name: "CKeychainRecordingVFS",
        dependencies: ["CKeychainSQLite"],
        path: "Tests/CKeychainRecordingVFS"
    ),
    tests(
        "KeychainCrashTests",
        imports: [
            "KeychainModel", "KeychainStore", "KeychainTestSupport", "CKeychainRecordingVFS",
            "CKeychainSQLite",
        ]
    ),
    tests(
        "KeychainWrapperSupportTests",
        imports: [
            "KeychainWrapperSupport", "KeychainWrapperTestSupport", "KeychainServices", "KeychainControl",
            "KeychainTesting", "Valet", "FXKeychain", "Lockbox",
        ]
    ),
    tests(
        "KeychainValetTests",
        imports: [
            "Valet", "KeychainItems", "KeychainServices", "KeychainTesting", "KeychainTestSupport",
            "KeychainTestTool",
        ]
    ),
    wrapperTestSupport,
    tests(
        "KeychainFXKeychainTests",
        imports: ["FXKeychain", "KeychainServices", "KeychainTesting", "KeychainWrapperTestSupport"]
    ),
    tests(
        "KeychainLockboxTests",
        imports: ["Lockbox", "KeychainServices", "KeychainTesting", "KeychainWrapperTestSupport"]
    ),
    tests(
        "KeychainItemsTests",
        imports: [
            "KeychainItems", "KeychainItemsOverSecItem", "KeychainModel", "KeychainServices",
            "KeychainTesting", "KeychainTestSupport", "KeychainTestTool", "KeychainUserPresence",
        ]
    ),
    tests(
        "KeychainDaemonTests",
        imports: [
            "KeychainDaemon", "KeychainClient", "KeychainStore", "KeychainModel", "KeychainServices", "Valet",
            "KeychainTestSupport", "KeychainTestTool", "KeychainTool", "KeychainDaemonTool",
            "KeychainIdentify", "KeychainAgent", "KeychainControl", "CKeychainLinux",
        ]
    ),
    tests(
        "KeychainSecretServiceTests",
        imports: [
            "KeychainSecretService", "KeychainModel", "KeychainClient", "KeychainTestSupport",
            "KeychainTestTool", "KeychainTool",
        ]
    ),
    tests(
        "KeychainTestingTests",
        imports: ["KeychainTesting", "KeychainItems", "KeychainServices", "KeychainTestSupport"]
    ),
    tests(
        "KeychainSyncTests",
        imports: [
            "KeychainSync", "KeychainModel", "KeychainStore", "KeychainClient", "KeychainTestSupport",
            "KeychainSyncTool", "KeychainTool", "KeychainControl", "KeychainItems", "KeychainDaemonTool",
            "KeychainServices", "Valet",
        ]
    ),
    tests(
        "KeychainToolTests",
        imports: [
            "KeychainTool", "KeychainModel", "KeychainClient", "KeychainTestSupport", "KeychainTestTool",
        ],
        resources: [.copy("Transcripts")]
    ),
]

let package = Package(
    name: "swift-keychain",
    platforms: [.macOS(.v15), .iOS(.v18), .watchOS(.v11), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "KeychainItems", targets: ["KeychainItems"]),
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
                .executable(name: "security", targets: ["KeychainTool"]),
                .executable(name: "securityd", targets: ["KeychainDaemonTool"]),
                .executable(name: "keychain-identify", targets: ["KeychainIdentify"]),
                .executable(name: "keychain-agent", targets: ["KeychainAgent"]),
                .executable(name: "keychain-secret-service", targets: ["KeychainSecretService"]),
                .executable(name: "keychain-sync", targets: ["KeychainSyncTool"]),
            ]),
    traits: [
        .default(enabledTraits: ["Objects"]),
        .trait(name: "Objects", description: "Keys, certificates and identities, through swift-crypto"),
        .trait(
            name: "Trust",
            description: "SecTrust, kSecMatchPolicy and kSecMatchTrustedOnly, through swift-certificates",
            enabledTraits: ["Objects"]
        ),
        .trait(
            name: "PKCS12",
            description: "SecPKCS12Import, through the system's libcrypto (OpenSSL 3)",
            enabledTraits: ["Objects"]
        ),
        .trait(
            name: "KeePass",
            description:
                "security import-passwords reads KeePass databases, through libargon2, expat and zlib",
            enabledTraits: ["Objects"]
        ),
        .trait(
            name: "Fingerprint",
            description: "LAContext verifies fingerprints, through fprintd and libsystemd"
        ),
        .trait(
            name: "SecretService",
            description: "keychain-secret-service, through libsystemd and the system's libcrypto"
        ),
        .trait(
            name: "Synchronization",
            description: "Synchronizes items between devices over etcd, through async-http-client"
        ),
    ],
    dependencies: isApplePlatform
        ? []
        : [
            .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
            .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
            .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
            // Only securityd uses swift-log.
            .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
            .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
            .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
            .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        ],
    targets: isApplePlatform ? appleTargets : wrappers + linuxTargets
)
