// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An intended difference from Apple's keychain.
struct Difference: Sendable {
    /// The name by which statements refer to a difference.
    enum Name: String, CaseIterable, Sendable {
        case matchLimitAll, matchKeyAtAdd, allOrNothing, identityDeletion, unopenedDeletion
        case unopenedMiss
        case damagedItem, damagedIdentity, limitAfterFilters, publicKeyIdentity, certificateAttributes
        case certificateBytes, passcodeClass, passcodeRemoval, autoLock, constraints, trust
        case userInterface, contextKeychain, attempts, keyUsage, biometricReuse, domainState
        case messages, changeDigest, otherReferences
        case appleShare, fileKeychains, tokens, appClips, allocators, booleans, halfPairs, ignoredMembers
        case keySizes, newKeys, pairs, agreements, algorithms, certificateSize
        case network, unmarkedAnchors, policies, archives, typeNumbers
        case revocation, exceptionBytes, exceptionReasons, trustResult, identityKeychains
        case importKeychain, importIdentities, importAccess
    }

    let name: Name
    let place: String
    /// The symbols whose documentation contains *Differs*; for an extension or a file, the name of the file.
    let symbols: [String]
    let apple: String
    let ours: String
    let why: String
    let proof: Proof

    init(
        _ name: Name,
        at place: String,
        _ symbols: [String],
        apple: String,
        ours: String,
        why: String,
        _ proof: Proof
    ) {
        self.name = name
        self.place = place
        self.symbols = symbols
        self.apple = apple
        self.ours = ours
        self.why = why
        self.proof = proof
    }
}

/// The number of times that the documentation of each symbol contains the word *Differs*.
struct DifferencesInSources {
    private(set) var counts: [String: Int] = [:]

    /// The folders of the wrappers, where *Differs* marks differences from the original library instead.
    private static let wrappers = ["FXKeychain/", "Lockbox/", "Valet/"]

    init() throws {
        for file in try PackageFiles.swift(in: "Sources")
        where !Self.wrappers.contains(where: file.path.hasPrefix) {
            var pending = 0
            for line in file.lines {
                let code = line.drop { $0 == " " }
                if code.hasPrefix("//") {
                    if code.contains("Differs") { pending += code.matches(of: /\bDiffers\b/).count }
                } else if pending > 0, !code.hasPrefix("@") || Self.symbol(in: code) != nil {
                    counts[Self.symbol(in: code) ?? file.baseName, default: 0] += pending
                    pending = 0
                }
            }
        }
    }

    /// Returns the name that a line declares; `nil` for an extension and for other lines.
    private static func symbol(in code: Substring) -> String? {
        let declaration = /\b(?:func|let|var|class|struct|enum|protocol|typealias|case)\s+(\w+)/
        return code.firstMatch(of: declaration).map { String($0.1) }
    }
}
