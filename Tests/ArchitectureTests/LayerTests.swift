// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Who may import whom.
///
/// `Package.swift` says it to the compiler, this table says it to people; both must agree.
@Suite struct LayerTests {
    /// A layer, what of ours it may import, and what of others.
    static let allowed: [String: (ours: Set<String>, others: Set<String>)] = [
        "KeychainModel": ([], ["FoundationEssentials"]),
        "PrivateFiles": (["KeychainModel"], ["FoundationEssentials", "Glibc"]),
        "DataProtection": (
            ["KeychainModel", "PrivateFiles", "CLinux"],
            ["FoundationEssentials", "Glibc", "Crypto", "CryptoExtras", "Synchronization"]
        ),
        "Pinentry": (["PrivateFiles", "CLinux"], ["Glibc", "Synchronization"]),
        "Fingerprint": (
            ["Pinentry", "CLibSystemd"], ["Dispatch", "Foundation", "Glibc", "Synchronization"]
        ),
        "ItemStore": (
            ["KeychainModel", "PrivateFiles", "CSQLite"], ["FoundationEssentials", "Synchronization"]
        ),
        "AsymmetricKeys": (
            ["KeychainModel"], ["FoundationEssentials", "Crypto", "CryptoExtras", "SwiftASN1"]
        ),
        "Certificates": (["KeychainModel"], ["FoundationEssentials", "SwiftASN1"]),
        "CertificateTrust": (
            ["KeychainModel"],
            ["FoundationEssentials", "Dispatch", "Synchronization", "SwiftASN1", "X509"]
        ),
        "PKCS12": (["KeychainModel", "PrivateFiles", "CLibCrypto"], ["FoundationEssentials"]),
        "KeychainEngine": (
            [
                "KeychainModel", "PrivateFiles", "DataProtection", "ItemStore", "Certificates",
                "CertificateTrust",
            ],
            ["FoundationEssentials", "Synchronization"]
        ),
        "KeychainTransport": (
            ["KeychainModel", "PrivateFiles", "DataProtection", "KeychainEngine"],
            ["Foundation", "FoundationEssentials", "Glibc", "Synchronization"]
        ),
        "KeychainServices": (
            [
                "KeychainModel", "PrivateFiles", "Pinentry", "Fingerprint", "KeychainTransport",
                "AsymmetricKeys", "Certificates", "CertificateTrust", "PKCS12",
            ],
            [
                "Foundation", "FoundationEssentials", "Glibc", "LocalAuthentication", "Security",
                "Synchronization",
            ]
        ),
        "Security": (["KeychainServices"], []),
        "LocalAuthentication": (["KeychainServices"], []),
        "KeychainControl": (
            ["KeychainModel", "PrivateFiles", "KeychainTransport"],
            ["Foundation", "FoundationEssentials", "Glibc"]
        ),
        "KeyedArchives": ([], ["Foundation"]),
        "Valet": (["KeychainServices"], ["Foundation", "Synchronization"]),
        "PasswordItems": (["KeychainServices"], ["Foundation", "Synchronization"]),
        "FXKeychain": (
            ["KeychainServices", "KeyedArchives", "PasswordItems"], ["Foundation", "Synchronization"]
        ),
        "Lockbox": (
            ["KeychainServices", "KeyedArchives", "PasswordItems"], ["Foundation"]
        ),
        "KeychainTesting": (
            [
                "KeychainModel", "PrivateFiles", "DataProtection", "Pinentry", "KeychainEngine",
                "KeychainTransport", "KeychainServices",
            ],
            ["Foundation", "Glibc", "Synchronization", "Testing", "XCTest"]
        ),
        "SecurityTool": (
            ["KeychainServices", "KeychainControl", "CLinux"],
            ["Foundation", "FoundationEssentials", "Glibc", "Synchronization", "ArgumentParser"]
        ),
    ]

    @Test func `each folder of sources is a layer of the table`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: SourceFile.sources.path)
        #expect(
            Set(folders).subtracting(["CSQLite", "CLibCrypto", "CLibSystemd", "CLinux"])
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
        #expect(Set(target.targets) == rule.ours.subtracting(["CLibCrypto", "CLibSystemd"]))
        #expect(Set(target.products).isSubset(of: rule.others))
    }

    @Test func `only one file calls SQLite`() throws {
        let files = try SourceFile.all().filter { $0.imports.contains("CSQLite") }
        #expect(files.map(\.name) == ["ItemStore/Database.swift"])
    }

    @Test func `cryptography stays in data protection and in the keys of callers`() throws {
        for file in try SourceFile.all() where !file.imports.isDisjoint(with: ["Crypto", "CryptoExtras"]) {
            let isAtHome = file.name.hasPrefix("DataProtection/") || file.name.hasPrefix("AsymmetricKeys/")
            #expect(isAtHome, "\(file.name)")
        }
    }

    @Test(arguments: [
        ("X509", "CertificateTrust/"), ("CLibCrypto", "PKCS12/"), ("CLibSystemd", "Fingerprint/"),
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

    @Test func `one file of data protection opens and seals`() throws {
        let files = try SourceFile.all(under: "DataProtection").filter { $0.text.contains("AES.GCM.") }
        #expect(files.map(\.name) == ["DataProtection/Sealing.swift"])
    }

    @Test func `nothing below the API is public`() throws {
        let open: Set<String> = [
            "KeychainServices", "KeychainControl", "KeychainTesting", "Valet", "FXKeychain", "Lockbox",
        ]
        for layer in Self.allowed.keys where !open.contains(layer) {
            for file in try SourceFile.all(under: layer) {
                for line in file.code where line.firstMatch(of: /\b(public|open)\s+(?!import)/) != nil {
                    guard line.firstMatch(of: /^\s*(@\w+\s+)*(public|open)\b/) != nil else { continue }
                    Issue.record("\(file.name): \(line)")
                }
            }
        }
    }

    @Test func `the API has Apple's names and no other type called Keychain`() throws {
        for file in try SourceFile.all() {
            for line in file.code {
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
        ("AuthorizedRequest(", ["KeychainEngine/AccessPolicy.swift"]),
        // From a dictionary to a request: the four calls, and several of them together.
        (
            "QueryDictionary(",
            ["KeychainServices/Items/ItemCall.swift", "KeychainServices/Items/SecItemApply.swift"]
        ),
        // From a value to bytes.
        ("func withCanonicalBytes", ["KeychainModel/AttributeValue.swift"]),
        // Is there such an item already?
        ("UNIQUE", ["ItemStore/Schema.swift"]),
        // Embedded or another?
        ("\"KEYCHAIN_BACKEND\"", ["KeychainTransport/SystemKeychain.swift"]),
        ("HMAC<SHA256>", ["DataProtection/Sealing.swift"]),
        ("LOCK_EX", ["PrivateFiles/WriterLock.swift"]),
        ("sqlite3_", ["ItemStore/Database.swift"]),
    ])
    func `one place alone does this`(words: String, places: [String]) throws {
        let files = try SourceFile.all().filter { file in file.code.contains { $0.contains(words) } }
        #expect(files.map(\.name) == places)
    }

    /// Locked is that the key is not there: nothing says so that could be forgotten.
    @Test(arguments: ["DataProtection", "KeychainEngine"])
    func `there is no flag that says locked`(layer: String) throws {
        for file in try SourceFile.all(under: layer) {
            #expect(!file.code.contains { $0.contains("var isLocked") })
        }
    }

    @Test func `who asks can be in no request`() throws {
        let file = try #require(try SourceFile.all().first { $0.name == "KeychainModel/Caller.swift" })
        #expect(!file.code.contains { $0.contains("Codable") })
    }
}
