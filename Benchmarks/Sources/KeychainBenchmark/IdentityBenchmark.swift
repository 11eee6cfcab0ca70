// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainStore

/// Adding and finding identities, compared with passwords in the same round.
///
/// An identity has two rows, a certificate and a key, and a search joins them. The ratio shows the cost of the second
/// row and of the join.
struct IdentityBenchmark {
    let effort: Effort
    private let size = 1_000

    func rows() throws -> [Row] {
        let store = try StoreSubject()
        try store.fill(0..<size)
        for number in 0..<size {
            _ = try store.keychain.perform(.addIdentity(identity(number)), for: store.caller)
        }
        return [try adds(store), try lookups()]
    }

    private func adds(_ store: StoreSubject) throws -> Row {
        let count = effort.writesPerRound
        let rounds = try Rounds(
            effort.rounds,
            reference: { round in
                let start = (round + 1) * 100_000
                return try microseconds(count) { try store.fill((start + $0)..<(start + $0 + 1)) }
            },
            [
                { round in
                    let start = (round + 1) * 100_000
                    return try microseconds(count) {
                        let request = Request.addIdentity(identity(start + $0))
                        _ = try store.keychain.perform(request, for: store.caller)
                    }
                }
            ]
        )
        return rounds.row("add an identity, against a password", target: 1.3)
    }

    private func lookups() throws -> Row {
        let count = effort.readsPerRound / 4
        let rounds = try Rounds(
            effort.rounds,
            reference: { round in
                try processorMicroseconds(count) {
                    let item = Items.scattered(round * count + $0, among: size)
                    try Subject.read(service: Items.service(item), account: Items.account(item))
                }
            },
            [
                { round in
                    try processorMicroseconds(count) {
                        try read(label: label((round * count + $0) * 7_919 % size))
                    }
                }
            ]
        )
        return rounds.row("find an identity among 1,000 by label, against a password", target: 10)
    }

    private func label(_ number: Int) -> String { "certificate \(number)" }

    /// Returns an identity whose values have the sizes of a real certificate and a real P-256 key.
    private func identity(_ number: Int) -> NewIdentity {
        let digest = AttributeValue.data(Array(String(format: "%020d", number).utf8))
        var certificate = Attributes()
        certificate[.certificateType] = .number(3)
        certificate[.label] = .string(label(number))
        certificate[.issuer] = .data(Array(repeating: 0x41, count: 64))
        certificate[.serialNumber] = .data(Array(String(number).utf8))
        certificate[.subject] = .data(Array(label(number).utf8))
        certificate[.publicKeyHash] = digest
        var key = Attributes()
        key[.keyClass] = .number(1)
        key[.type] = .number(73)
        key[.applicationLabel] = digest
        key[.isPrivate] = .number(1)
        key[.keySizeInBits] = .number(256)
        return NewIdentity(
            certificate: NewItem(
                itemClass: .certificate,
                attributes: certificate,
                secret: SecretBuffer([UInt8](repeating: 0x30, count: 700))
            ),
            key: NewItem(
                itemClass: .key,
                attributes: key,
                secret: SecretBuffer([UInt8](repeating: 4, count: 97))
            ),
            returning: []
        )
    }

    private func read(label: String) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassIdentity,
            kSecAttrLabel as String: label,
            kSecReturnData as String: true,
        ]
        var result: CFTypeRef?
        try Subject.check(SecItemCopyMatching(query as CFDictionary, &result))
        guard let key = result as? Data, key.count == 97 else { throw BenchmarkError("a wrong key") }
    }
}
