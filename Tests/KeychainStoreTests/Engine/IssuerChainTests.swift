// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct IssuerChainTests {
    private static func name(_ number: Int) -> AttributeValue { .data(Data("canary name \(number)".utf8)) }

    /// A chain in which certificate n is issued by the subject of certificate n+1.
    private static func chain(_ count: Int) -> [NewItem] {
        (0..<count).map { number in
            Halves.certificate(
                number,
                of: number,
                [.subject: name(number), .issuer: name(number + 1)]
            )
        }
    }

    private static func filter(issuer: Int, serial: Int? = 0) -> ItemFilter {
        var filter = ItemFilter(itemClass: .certificate)
        filter.attributes[.serialNumber] = serial.map { .data(Data([UInt8($0)])) }
        filter.certificate.issuers = [Data("canary name \(issuer)".utf8)]
        return filter
    }

    private static func finds(_ filter: ItemFilter) throws -> Bool {
        let calls = try Calls()
        do throws(StatusError) {
            return try !calls.find(filter).isEmpty
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }

    @Test func `an issuer is found by walking from name to name, ten steps at most`() throws {
        let halves = try Halves()
        for item in Self.chain(14) { try halves.add(item) }
        for issuer in 1...11 { #expect(try Self.finds(Self.filter(issuer: issuer)), "\(issuer)") }
        for issuer in [0, 12, 13, 14] { #expect(try !Self.finds(Self.filter(issuer: issuer)), "\(issuer)") }
    }

    @Test func `a missing link ends the walk, a circle too`() throws {
        let halves = try Halves()
        for item in Self.chain(6) where item.attributes[.subject] != Self.name(3) { try halves.add(item) }
        #expect(try Self.finds(Self.filter(issuer: 3)))
        #expect(try !Self.finds(Self.filter(issuer: 4)))
        try halves.add(Halves.certificate(99, of: 9, [.subject: Self.name(3), .issuer: Self.name(0)]))
        #expect(try Self.finds(Self.filter(issuer: 0)))
        #expect(try !Self.finds(Self.filter(issuer: 5)))
    }

    @Test func `everyone whom an issuer stands behind is found`() throws {
        let halves = try Halves()
        for item in Self.chain(4) { try halves.add(item) }
        let filter = Self.filter(issuer: 3, serial: nil)
        #expect(try halves.calls.find(filter).count == 3)
        #expect(try halves.calls.find(filter, limit: .atMost(2)).count == 2)
    }

    @Test func `what is no certificate has no date and no address`() throws {
        let halves = try Halves()
        try halves.add(Halves.certificate(1, of: 1))
        for test in [CertificateTest(validOn: 0), CertificateTest(emailAddress: "canary@example.org")] {
            var filter = ItemFilter(itemClass: .certificate)
            filter.certificate = test
            #expect(try !Self.finds(filter))
        }
    }
}
