// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct IdentityChangeTests {
    @Test func `both parts are added, and the reference is that of the certificate`() throws {
        let halves = try Halves()
        let reference = try halves.addIdentity(Halves.certificate(1, of: 1), Halves.key(1))
        #expect(reference?.itemClass == .identity)
        #expect(try halves.pairs() == ["certificate 1+key 1"])
        #expect(try halves.find(Halves.filter()).first?.reference == reference)
    }

    @Test func `adding an identity with one existing part succeeds, with both it is a duplicate`() throws {
        let halves = try Halves()
        let first = try halves.addIdentity(Halves.certificate(1, of: 1), Halves.key(1))
        _ = try halves.addIdentity(Halves.certificate(2, of: 1), Halves.key(1))
        let again = try halves.addIdentity(
            Halves.certificate(1, of: 1),
            Halves.key(1, [.applicationTag: "canary other"])
        )
        #expect(again == first)
        #expect(try halves.count(.certificate) == 2)
        #expect(try halves.count(.key) == 2)
        expect(.duplicateItem) { _ = try halves.addIdentity(Halves.certificate(2, of: 1), Halves.key(1)) }
    }

    @Test func `if the second part fails, the first is not added`() throws {
        let halves = try Halves()
        expect(.authenticationFailed) {
            _ = try halves.addIdentity(Halves.certificate(1, of: 1), Halves.key(1, [.accessible: "akpu"]))
        }
        #expect(try halves.count(.certificate) == 0)
        #expect(try halves.calls.status().itemCount == 0)
    }

    @Test func `deleting an identity deletes its key unless another certificate needs it`() throws {
        let halves = try Halves()
        try halves.add(Halves.key(1), Halves.certificate(1, of: 1), Halves.certificate(2, of: 1))
        try halves.delete(Halves.filter(certificate: [.label: "canary label 1"]))
        #expect(try halves.pairs() == ["certificate 2+key 1"])
        try halves.delete(Halves.filter(certificate: [.label: "canary label 2"]))
        #expect(try halves.calls.status().itemCount == 0)
        expect(.itemNotFound) { try halves.delete(Halves.filter()) }
    }

    @Test func `deleting an identity keeps its key if a synchronizable certificate needs it`() throws {
        let halves = try Halves()
        try halves.add(
            Halves.key(1),
            Halves.certificate(1, of: 1),
            Halves.certificate(2, of: 1, [.synchronizable: 1])
        )
        try halves.delete(Halves.filter(certificate: [.label: "canary label 1"]))
        #expect(try halves.count(.key) == 1)
        #expect(try halves.pairs() == ["certificate 2+key 1"])
    }

    @Test func `deleting by reference deletes the matching pair`() throws {
        let halves = try Halves()
        let reference = try #require(try halves.addIdentity(Halves.certificate(1, of: 1), Halves.key(1)))
        _ = try halves.addIdentity(Halves.certificate(2, of: 2), Halves.key(2))
        var filter = Halves.filter()
        filter.certificate.reference = PersistentReference(itemClass: .certificate, item: reference.item)
        #expect(try halves.pairs(filter) == ["certificate 1+key 1"])
        try halves.delete(filter)
        #expect(try halves.pairs() == ["certificate 2+key 2"])
        expect(.itemNotFound) { try halves.delete(filter) }
    }

    @Test func `changes of two classes are atomic`() throws {
        let halves = try Halves()
        try halves.add(Halves.certificate(1, of: 1))
        let label: Attributes = [.label: "canary changed"]
        let updates = [ItemClass.certificate, .key].map {
            UpdateRequest(filter: ItemFilter(itemClass: $0), attributes: label)
        }
        let deletes = [ItemClass.certificate, .key].map { DeleteRequest(filter: ItemFilter(itemClass: $0)) }
        for request in [Request.updateEach(updates), .deleteEach(deletes)] {
            expect(.itemNotFound) { _ = try halves.calls.keychain.perform(request, for: halves.calls.caller) }
        }
        let certificates = ItemFilter(itemClass: .certificate)
        #expect(try halves.calls.find(certificates).map { $0.attributes[.label] } == ["canary label 1"])
        try halves.add(Halves.key(1))
        _ = try halves.calls.keychain.perform(.updateEach(updates), for: halves.calls.caller)
        #expect(try halves.find(Halves.filter()).map { $0.attributes[.label] } == ["canary changed"])
        _ = try halves.calls.keychain.perform(.deleteEach(deletes), for: halves.calls.caller)
        #expect(try halves.calls.status().itemCount == 0)
    }
}
