// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct IdentityJoinTests {
    @Test func `a private key forms an identity with each of its certificates`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1), Halves.key(2), Halves.key(3))
        try halves.add(
            Halves.certificate(1, of: 1),
            Halves.certificate(2, of: 1),
            Halves.certificate(3, of: 2),
            Halves.certificate(4, of: 9)
        )
        #expect(
            try halves.pairs() == ["certificate 1+key 1", "certificate 2+key 1", "certificate 3+key 2"]
        )
    }

    @Test func `items without a digest and public keys form no identity`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1, [.isPrivate: 0]), Halves.key(2, [.applicationLabel: .data([])]))
        try halves.add(Halves.certificate(1, of: 1))
        try halves.add(Halves.certificate(2, of: 2, [.publicKeyHash: .data([])]))
        #expect(try halves.pairs().isEmpty)
    }

    @Test func `attributes filter the part that they belong to`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1, [.label: "canary key label"]), Halves.key(2))
        try halves.add(Halves.certificate(1, of: 1), Halves.certificate(2, of: 2))
        let rows: [(filter: IdentityFilter, pairs: [String])] = [
            (Halves.filter(certificate: [.label: "canary label 1"]), ["certificate 1+key 1"]),
            (Halves.filter(certificate: [.label: "canary key label"]), []),
            (Halves.filter(certificate: [.serialNumber: .data([2])]), ["certificate 2+key 2"]),
            (Halves.filter(key: [.applicationTag: "canary tag 2"]), ["certificate 2+key 2"]),
            (Halves.filter(key: [.applicationLabel: Halves.digest(1)]), ["certificate 1+key 1"]),
            (
                Halves.filter(
                    certificate: [.label: "canary label 1"],
                    key: [.applicationTag: "canary tag 2"]
                ), []
            ),
            (Halves.filter(certificate: [.publicKeyHash: Halves.digest(2)]), ["certificate 2+key 2"]),
            (
                Halves.filter(certificate: [.publicKeyHash: Halves.digest(2)], key: [.type: 73]),
                ["certificate 2+key 2"]
            ),
            (Halves.filter(certificate: [.publicKeyHash: Halves.digest(2)], key: [.type: 42]), []),
        ]
        for row in rows { #expect(try halves.pairs(row.filter) == row.pairs) }
    }

    @Test func `the limit counts identities`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1))
        for number in 1...5 { try halves.add(Halves.certificate(number, of: 1)) }
        #expect(try halves.pairs(limit: .one).count == 1)
        #expect(try halves.pairs(limit: .atMost(3)).count == 3)
        #expect(try halves.pairs(limit: .atMost(9)).count == 5)
        #expect(try halves.pairs(limit: .atMost(0)).isEmpty)
    }

    @Test func `attributes of the certificate override those of the key`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1, [.label: "canary key label"]), Halves.certificate(1, of: 1))
        let item = try #require(try halves.find(Halves.filter()).first)
        #expect(item.attributes[.label] == "canary label 1")
        #expect(item.attributes[.accessible] == "dk")
        #expect(item.attributes[.applicationTag] == "canary tag 1")
        #expect(item.reference.itemClass == .identity)
        let filter = ItemFilter(itemClass: .certificate)
        #expect(try halves.calls.find(filter).map(\.reference.item) == [item.reference.item])
    }

    @Test func `the key determines synchronization, and the certificate only has to be accessible`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1, [.synchronizable: 1]), Halves.key(2))
        try halves.add(Halves.certificate(1, of: 1), Halves.certificate(2, of: 2, [.synchronizable: 1]))
        #expect(try halves.pairs() == ["certificate 2+key 2"])
        #expect(try halves.pairs(Halves.filter(synchronizable: .exactly(true))) == ["certificate 1+key 1"])
        #expect(try halves.pairs(Halves.filter(synchronizable: .any)).count == 2)
    }

    @Test func `the group in the query is the key's, and the certificate may be in another`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1, [.accessGroup: "TEAM.shared"]), Halves.certificate(1, of: 1))
        #expect(try halves.pairs(Halves.filter(key: [.accessGroup: "TEAM.shared"])).count == 1)
        #expect(try halves.pairs(Halves.filter(key: [.accessGroup: "TEAM.app"])).isEmpty)
        expect(.missingEntitlement) {
            _ = try halves.find(Halves.filter(key: [.accessGroup: "TEAM.foreign"]))
        }
        let others = try SearchedKeychain.withAccessGroups(["TEAM.shared"]) { () throws in
            try Halves().pairs()
        }
        #expect(others.isEmpty)
    }
}
