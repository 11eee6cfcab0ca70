// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Who may import whom.
///
/// `Package.swift` says it to the compiler, this table says it to people; both must agree.
@Suite struct LayerTests {
    /// A layer, what of ours it may import, and what of others.
    static let allowed: [String: (ours: Set<String>, others: Set<String>)] = [
        "KeychainModel": ([], ["FoundationEssentials", "Glibc"]),
        "KeychainObjects": (
            ["KeychainModel", "CKeychainLibCrypto"],
            [
                "FoundationEssentials", "Crypto", "CryptoExtras", "Dispatch", "Synchronization", "SwiftASN1",
                "X509",
            ]
        ),
        "KeychainStore": (
            ["KeychainModel", "CKeychainLinux", "CKeychainSodium", "CKeychainSQLite"],
            ["FoundationEssentials", "Glibc", "Synchronization"]
        ),
        "KeychainClient": (
            ["KeychainModel", "KeychainStore", "CKeychainLinux"],
            ["FoundationEssentials", "Glibc", "Synchronization"]
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
            ["KeychainModel", "KeychainClient"], ["FoundationEssentials", "Glibc"]
        ),
        "KeychainWrapperSupport": (
            ["KeychainItems", "KeychainServices", "KeychainControl"], ["Foundation", "Synchronization"]
        ),
        "Valet": (
            ["KeychainItems", "KeychainServices", "KeychainWrapperSupport"],
            ["Foundation", "Synchronization"]
        ),
        "FXKeychain": (
            ["KeychainItems", "KeychainServices", "KeychainWrapperSupport"],
            ["Foundation", "Synchronization"]
        ),
        "Lockbox": (["KeychainItems", "KeychainServices", "KeychainWrapperSupport"], ["Foundation"]),
        "KeychainTesting": (
            [
                "KeychainModel", "KeychainStore", "KeychainClient", "KeychainUserPresence",
                "KeychainServices",
            ],
            ["Foundation", "Glibc", "Synchronization", "Testing", "XCTest"]
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

    @Test func `each folder of sources is a layer of the table`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: SourceFile.sources.path)
        #expect(
            Set(folders).subtracting([
                "CKeychainSQLite", "CKeychainSodium", "CKeychainLibCrypto", "CKeychainLibSystemd",
                "CKeychainLinux",
            ])
                == Set(Self.allowed.keys)
        )
    }

    @Test(arguments: allowed.keys.sorted())
    func `a layer imports what it may and nothing else`(layer: String) throws {
        let rule = try #require(Self.allowed[layer])
        for file in try SourceFile.all(under: layer) {
            for module in file.imports {
                #expect(rule.ours.union(rule.others).contains(module), "\(file.name) imports \(module)")
            }
        }
    }

    @Test(arguments: allowed.keys.sorted())
    func `the manifest gives a layer what it may import and nothing else`(layer: String) throws {
        let rule = try #require(Self.allowed[layer])
        let target = try #require(try Manifest.targets.get()[layer])
        // SwiftPM describes the package as it is without traits.
        #expect(Set(target.targets) == rule.ours.subtracting(["CKeychainLibCrypto", "CKeychainLibSystemd"]))
        #expect(Set(target.products).isSubset(of: rule.others))
    }

    /// Foundation and its copy of ICU would be half of the executable, and most of what a start reads.
    @Test func `the command needs no Foundation`() throws {
        var (layers, waiting) = ([] as Set<String>, ["KeychainTool"])
        while let layer = waiting.popLast() {
            guard layers.insert(layer).inserted, let rule = Self.allowed[layer] else { continue }
            #expect(!rule.others.contains("Foundation"), "\(layer)")
            waiting += rule.ours
        }
        #expect(layers.contains("KeychainStore"))
    }

    @Test func `only one file calls SQLite`() throws {
        let files = try SourceFile.all().filter { $0.imports.contains("CKeychainSQLite") }
        #expect(files.map(\.name) == ["KeychainStore/Storage/Database.swift"])
    }

    @Test func `swift-crypto stays in the keys of callers`() throws {
        for file in try SourceFile.all() where !file.imports.isDisjoint(with: ["Crypto", "CryptoExtras"]) {
            #expect(file.name.hasPrefix("KeychainObjects/Keys/"), "\(file.name)")
        }
    }

    @Test(arguments: [
        ("Crypto", "KeychainObjects/Keys/"), ("CryptoExtras", "KeychainObjects/Keys/"),
        ("SwiftASN1", "KeychainObjects/"), ("X509", "KeychainObjects/Trust/"),
        ("CKeychainLibCrypto", "KeychainObjects/PKCS12/"),
        ("CKeychainLibSystemd", "KeychainUserPresence/Fingerprint/"),
    ])
    func `what a trait brings in is used by one layer`(module: String, layer: String) throws {
        let files = try SourceFile.all().filter { $0.imports.contains(module) }
        #expect(!files.isEmpty)
        for file in files {
            #expect(file.name.hasPrefix(layer), "\(file.name)")
            // Without the trait there is nothing to import.
            let before = file.code.prefix { !$0.hasSuffix("import \(module)") }
            #expect(before.last { $0.hasPrefix("#") }?.hasPrefix("#if ") == true, "\(file.name)")
        }
    }

    @Test(arguments: ["Security", "LocalAuthentication"])
    func `a product of Apple's name is a line`(module: String) throws {
        let files = try SourceFile.all(under: module)
        #expect(files.flatMap(\.code) == ["@_exported import KeychainServices"])
    }

    @Test func `the store's cryptography is in its folder`() throws {
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

    @Test func `the API has Apple's names and no other type called Keychain`() throws {
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

/// The places where a decision is made, each the only one.
@Suite struct OnePlaceTests {
    /// What is decided where, by the words that only the place can say.
    @Test(arguments: [
        // Is this caller allowed?
        ("AuthorizedRequest(", ["KeychainStore/Engine/AccessPolicy.swift"]),
        // From a dictionary to a request: the four calls, and several of them together.
        (
            "QueryDictionary(",
            ["KeychainServices/Items/ItemCall.swift", "KeychainServices/Items/SecItemApply.swift"]
        ),
        // From a value to bytes.
        ("func withCanonicalBytes", ["KeychainModel/AttributeValue.swift"]),
        // Is there such an item already?
        ("UNIQUE", ["KeychainStore/Storage/Schema.swift"]),
        // Embedded or another?
        ("\"KEYCHAIN_BACKEND\"", ["KeychainClient/SystemKeychain.swift"]),
        ("crypto_aead_", ["KeychainStore/Crypto/Sealing.swift"]),
        ("crypto_generichash", ["KeychainStore/Crypto/BLAKE2b.swift"]),
        ("crypto_pwhash(", ["KeychainStore/Crypto/PasscodeDerivation.swift"]),
        // The writer's lock, and that of the command's search list.
        (
            "LOCK_EX",
            [
                "KeychainStore/Files/FileLock.swift", "KeychainStore/Files/LockRequest.swift",
                "KeychainTool/Items/SearchList.swift",
            ]
        ),
        ("sqlite3_", ["KeychainStore/Storage/Database.swift"]),
    ])
    func `one place alone does this`(words: String, places: [String]) throws {
        let files = try SourceFile.all().filter { file in file.code.contains { $0.contains(words) } }
        #expect(files.map(\.name) == places)
    }

    /// Locked is that the key is not there: nothing says so that could be forgotten.
    @Test(arguments: ["KeychainStore"])
    func `there is no flag that says locked`(layer: String) throws {
        for file in try SourceFile.all(under: layer) {
            #expect(!file.code.contains { $0.contains("var isLocked") })
        }
    }

    @Test(arguments: ["Request", "IdentityRequest"])
    func `no request can carry a caller`(name: String) throws {
        let file = try #require(try SourceFile.all().first { $0.name == "KeychainModel/\(name).swift" })
        #expect(!file.code.contains { $0.firstMatch(of: /\bCaller\b/) != nil })
    }
}
