// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The allowed imports of each layer.
///
/// This table must agree with the dependencies in `Package.swift`, against which the build checks the imports.
@Suite struct LayerTests {
    /// The modules of the package and external modules that each layer may import.
    static let allowed: [String: (ours: Set<String>, others: Set<String>)] = [
        "KeychainModel": ([], ["Darwin", "Glibc"]),
        "KeychainObjects": (
            ["KeychainModel", "CKeychainKeePass", "CKeychainLibCrypto"],
            [
                "FoundationEssentials", "Crypto", "CryptoExtras", "Dispatch", "Synchronization", "SwiftASN1",
                "X509",
            ]
        ),
        "KeychainStore": (
            ["KeychainModel", "CKeychainLinux", "CKeychainSodium", "CKeychainSQLite"],
            ["Glibc", "Synchronization"]
        ),
        "KeychainClient": (
            ["KeychainModel", "KeychainStore", "CKeychainLinux"],
            ["Glibc", "Synchronization"]
        ),
        "KeychainUserPresence": (
            ["KeychainModel", "KeychainClient", "CKeychainLinux", "CKeychainLibSystemd"],
            ["Dispatch", "Glibc", "Synchronization"]
        ),
        "KeychainServices": (
            ["KeychainModel", "KeychainClient", "KeychainObjects", "KeychainUserPresence"],
            [
                "Foundation", "FoundationEssentials", "Glibc", "LocalAuthentication", "Security",
                "Synchronization",
            ]
        ),
        "KeychainItems": (
            ["KeychainModel", "KeychainClient", "KeychainObjects", "KeychainUserPresence"],
            [
                "Darwin", "Foundation", "FoundationEssentials", "Glibc", "LocalAuthentication", "Security",
                "Synchronization",
            ]
        ),
        "KeychainItemsOverSecItem": (
            ["KeychainModel", "KeychainItems", "KeychainServices"], ["Foundation", "Security"]
        ),
        "Security": (["KeychainServices"], []),
        "LocalAuthentication": (["KeychainServices"], []),
        "KeychainControl": (
            ["KeychainModel", "KeychainClient", "CKeychainLinux"], ["FoundationEssentials", "Glibc"]
        ),
        "KeychainWrapperSupport": ([], ["Foundation"]),
        "Valet": (["KeychainItems", "KeychainServices"], ["Foundation", "Synchronization"]),
        "FXKeychain": (
            ["KeychainItems", "KeychainServices", "KeychainWrapperSupport"],
            ["Foundation", "Synchronization"]
        ),
        "Lockbox": (["KeychainItems", "KeychainServices", "KeychainWrapperSupport"], ["Foundation"]),
        "KeychainTesting": (
            [
                "KeychainModel", "KeychainStore", "KeychainClient", "KeychainUserPresence",
                "KeychainServices", "CKeychainLinux",
            ],
            ["Foundation", "Glibc", "Synchronization", "Testing", "XCTest"]
        ),
        "KeychainDaemon": (
            ["KeychainModel", "KeychainStore", "KeychainClient", "CKeychainLinux"],
            ["Glibc", "Synchronization"]
        ),
        "KeychainSync": (
            ["KeychainModel", "KeychainStore", "CKeychainExecutor"],
            [
                "AsyncHTTPClient", "Dispatch", "FoundationEssentials", "Glibc", "NIOCore", "NIOHTTP1",
                "NIOPosix", "NIOSSL", "Synchronization",
            ]
        ),
        "KeychainSecretService": (
            [
                "KeychainModel", "KeychainClient", "KeychainUserPresence", "KeychainDaemon", "CKeychainLinux",
                "CKeychainLibCrypto", "CKeychainLibSystemd",
            ],
            ["Glibc", "Synchronization"]
        ),
        "KeychainSyncTool": (
            ["KeychainModel", "KeychainStore", "KeychainClient", "KeychainSync", "CKeychainLinux"],
            ["Dispatch", "FoundationEssentials", "Glibc"]
        ),
        "KeychainIdentify": (["KeychainDaemon", "CKeychainLinux"], ["Glibc"]),
        "KeychainAgent": (
            ["KeychainModel", "KeychainClient", "KeychainUserPresence", "CKeychainLinux"], ["Glibc"]
        ),
        "KeychainDaemonTool": (
            ["KeychainModel", "KeychainClient", "KeychainObjects", "KeychainDaemon", "CKeychainLinux"],
            ["FoundationEssentials", "Glibc", "Logging"]
        ),
        "KeychainTool": (
            [
                "KeychainModel", "KeychainClient", "KeychainObjects", "KeychainUserPresence",
                "KeychainControl",
                "CKeychainLinux",
            ],
            ["FoundationEssentials", "Glibc", "Synchronization"]
        ),
    ]

    @Test func `each source folder is a layer of the table`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: SourceFile.sources.path)
        #expect(
            Set(folders).subtracting([
                "CKeychainSQLite", "CKeychainSodium", "CKeychainLibCrypto", "CKeychainLibSystemd",
                "CKeychainLinux", "CKeychainKeePass", "CKeychainExecutor",
            ])
                == Set(Self.allowed.keys)
        )
    }

    @Test(arguments: allowed.keys.sorted())
    func `a layer imports only what it may`(layer: String) throws {
        let rule = try #require(Self.allowed[layer])
        for file in try SourceFile.all(under: layer) {
            for module in file.imports {
                #expect(rule.ours.union(rule.others).contains(module), "\(file.name) imports \(module)")
            }
        }
    }

    @Test(arguments: allowed.keys.sorted())
    func `the manifest gives a layer only the dependencies it may have`(layer: String) throws {
        let rule = try #require(Self.allowed[layer])
        let target = try #require(try Manifest.targets.get()[layer])
        // `swift package describe` ignores traits, so the libraries that only a trait needs are missing here.
        let optional: Set = [
            "CKeychainExecutor", "CKeychainKeePass", "CKeychainLibCrypto", "CKeychainLibSystemd",
        ]
        #expect(Set(target.targets) == rule.ours.subtracting(optional))
        #expect(Set(target.products).isSubset(of: rule.others))
    }

    /// Foundation and ICU would make up half of the executable and most of what the command reads when it
    /// starts.
    @Test func `the command needs no Foundation`() throws {
        var (layers, waiting) = ([] as Set<String>, ["KeychainTool"])
        while let layer = waiting.popLast() {
            guard layers.insert(layer).inserted, let rule = Self.allowed[layer] else { continue }
            #expect(!rule.others.contains("Foundation"), "\(layer)")
            waiting += rule.ours
        }
        #expect(layers.contains("KeychainStore"))
    }

    /// The verbs for passwords must start quickly, so neither they nor the code they use may need Foundation.
    @Test func `only the command's code for keys and files imports FoundationEssentials`() throws {
        let allowed = [
            "Exchange/StructuredFiles", "Input/InputFile", "Input/UnsupportedKey", "Items/StoredObject",
            "Output/ObjectText", "Programs/OpenSSHKeyProgram", "SSHAgent/", "Verbs/CreateKeypair",
            "Verbs/DeleteObject", "Verbs/ExportItems", "Verbs/FindIdentity", "Verbs/FindKey",
            "Verbs/ImportItems", "Verbs/VerifyCertificate",
        ].map { "KeychainTool/" + $0 }
        for file in try SourceFile.all(under: "KeychainTool")
        where file.imports.contains("FoundationEssentials") {
            #expect(allowed.contains { file.name.hasPrefix($0) }, "\(file.name)")
        }
    }

    /// A value in a `Data` could not be erased reliably, and each conversion would cost more than a cached
    /// read.
    @Test(arguments: ["KeychainModel", "KeychainStore", "KeychainClient"])
    func `the layers below the API import no Foundation`(layer: String) throws {
        for file in try SourceFile.all(under: layer) {
            for module in ["Foundation", "FoundationEssentials"] {
                #expect(!file.imports.contains(module), "\(file.name) imports \(module)")
            }
        }
    }

    @Test func `only one file calls SQLite`() throws {
        let files = try SourceFile.all().filter { $0.imports.contains("CKeychainSQLite") }
        #expect(files.map(\.name) == ["KeychainStore/Storage/Database.swift"])
    }

    @Test func `swift-crypto is used only for the callers' keys and KeePass databases`() throws {
        for file in try SourceFile.all() where !file.imports.isDisjoint(with: ["Crypto", "CryptoExtras"]) {
            let folders = ["KeychainObjects/Keys/", "KeychainObjects/KeePass/"]
            #expect(folders.contains { file.name.hasPrefix($0) }, "\(file.name)")
        }
    }

    @Test(arguments: [
        ("Crypto", ["KeychainObjects/Keys/", "KeychainObjects/KeePass/"]),
        ("CryptoExtras", ["KeychainObjects/Keys/", "KeychainObjects/KeePass/"]),
        ("CKeychainKeePass", ["KeychainObjects/KeePass/"]),
        ("SwiftASN1", ["KeychainObjects/"]), ("X509", ["KeychainObjects/Trust/"]),
        ("CKeychainLibCrypto", ["KeychainObjects/PKCS12/", "KeychainSecretService/Sessions/"]),
        ("CKeychainLibSystemd", ["KeychainUserPresence/Fingerprint/", "KeychainSecretService/Bus/"]),
        ("AsyncHTTPClient", ["KeychainSync/Etcd/"]), ("NIOSSL", ["KeychainSync/Etcd/"]),
        ("CKeychainExecutor", ["KeychainSync/Engine/"]),
    ])
    func `the dependency of a trait is used in its folders only`(module: String, folders: [String]) throws {
        let files = try SourceFile.all().filter { $0.imports.contains(module) }
        #expect(!files.isEmpty)
        for file in files {
            #expect(folders.contains { file.name.hasPrefix($0) }, "\(file.name)")
            // The import is conditional, because the module exists only with a trait.
            let before = file.code.prefix { !$0.hasSuffix("import \(module)") }
            #expect(before.last { $0.hasPrefix("#") }?.hasPrefix("#if ") == true, "\(file.name)")
        }
    }

    @Test(arguments: ["Security", "LocalAuthentication"])
    func `a product named like Apple's framework only re-exports`(module: String) throws {
        let files = try SourceFile.all(under: module)
        #expect(files.flatMap(\.code) == ["@_exported import KeychainServices"])
    }

    @Test func `cryptography of the store is in its own folder`() throws {
        for file in try SourceFile.all() where file.imports.contains("CKeychainSodium") {
            #expect(file.name.hasPrefix("KeychainStore/Crypto/"), "\(file.name)")
        }
    }

    @Test func `nothing below the API is public`() throws {
        let open: Set<String> = [
            "KeychainItems", "KeychainServices", "KeychainControl", "KeychainTesting", "Valet", "FXKeychain",
            "Lockbox",
        ]
        for layer in Self.allowed.keys where !open.contains(layer) {
            for file in try SourceFile.all(under: layer) {
                for line in file.code where line.contains("public ") || line.contains("open ") {
                    guard line.firstMatch(of: /^\s*(@\w+\s+)*(public|open)\s+(?!import)/) != nil else {
                        continue
                    }
                    Issue.record("\(file.name): \(line)")
                }
            }
        }
    }

    @Test func `the API has Apple's names and no type called Keychain`() throws {
        for file in try SourceFile.all() {
            for line in file.code where line.contains("public ") {
                #expect(
                    line.firstMatch(
                        of: /public\s+(final\s+)?(class|struct|enum|protocol|typealias)\s+Keychain\b/
                    ) == nil,
                    "\(file.name)"
                )
            }
        }
    }
}

/// Decisions that only the listed source files may make.
@Suite struct OnePlaceTests {
    /// A string that occurs in the code of each decision, and the files in which it may occur.
    @Test(arguments: [
        // Checking a request against the caller's access groups.
        ("AuthorizedRequest(", ["KeychainStore/Engine/AccessPolicy.swift"]),
        // Parsing requests from dictionaries: in the four `SecItem` functions and in `SecItemAddTogether`.
        (
            "QueryDictionary(",
            ["KeychainServices/Items/ItemCall.swift", "KeychainServices/Items/SecItemAddTogether.swift"]
        ),
        // Encoding attribute values as canonical bytes.
        ("func withCanonicalBytes", ["KeychainModel/AttributeValue.swift"]),
        // Refusing duplicate items.
        ("UNIQUE", ["KeychainStore/Storage/Schema.swift"]),
        // Selecting the embedded store or the daemon; the manual page names the variable.
        (
            "\"KEYCHAIN_BACKEND\"",
            ["KeychainClient/Daemon/Backend.swift", "KeychainTool/CommandLine/Help/ManualPage.swift"]
        ),
        ("crypto_aead_", ["KeychainStore/Crypto/Sealing.swift"]),
        ("crypto_generichash", ["KeychainStore/Crypto/BLAKE2b.swift"]),
        ("crypto_pwhash(", ["KeychainStore/Crypto/PasscodeDerivation.swift"]),
        // Taking an exclusive `flock` on a file.
        (
            "LOCK_EX",
            [
                "KeychainDaemon/Identity/GroupOwners.swift", "KeychainDaemon/Server/ListeningSocket.swift",
                "KeychainStore/Files/FileLock.swift", "KeychainStore/Files/LockRequest.swift",
                "KeychainSyncTool/SyncCommand+Agent.swift", "KeychainTool/Items/SearchList.swift",
                "KeychainTool/Verbs/RotateKeys.swift",
            ]
        ),
        ("sqlite3_", ["KeychainStore/Storage/Database.swift"]),
    ])
    func `a decision is made only in the listed files`(words: String, places: [String]) throws {
        let files = try SourceFile.all().filter { file in file.code.contains { $0.contains(words) } }
        #expect(files.map(\.name) == places)
    }

    /// An item is locked because its class key is absent; a separate flag could contradict that.
    @Test(arguments: ["KeychainStore"])
    func `there is no locked flag`(layer: String) throws {
        for file in try SourceFile.all(under: layer) {
            #expect(!file.code.contains { $0.contains("var isLocked") })
        }
    }

    @Test(arguments: ["Request", "IdentityRequest"])
    func `a request cannot contain a caller`(name: String) throws {
        let file = try #require(try SourceFile.all().first { $0.name == "KeychainModel/\(name).swift" })
        #expect(!file.code.contains { $0.firstMatch(of: /\bCaller\b/) != nil })
    }
}
