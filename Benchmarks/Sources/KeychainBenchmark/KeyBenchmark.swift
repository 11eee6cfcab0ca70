// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainServices

struct KeyBenchmark {
    let effort: Effort

    func rows() throws -> [Row] {
        let direct = P256.Signing.PrivateKey()
        let key = try secKey(direct)
        let message = Data("a message of some fifty bytes, as tokens often have".utf8)
        let count = effort.readsPerRound
        // `SecKey` functions take the message as `CFData`, swift-crypto as `Data`.
        let object = message as CFData
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        let signatures = try Rounds(
            effort.rounds,
            reference: { _ in
                try processorMicroseconds(count) { _ in
                    guard try !direct.signature(for: message).derRepresentation.isEmpty else {
                        throw BenchmarkError("no signature")
                    }
                }
            },
            [
                { _ in
                    try processorMicroseconds(count) { _ in
                        guard let signature = SecKeyCreateSignature(key, algorithm, object, nil),
                            signature.length > 0
                        else {
                            throw BenchmarkError("no signature")
                        }
                    }
                }
            ]
        )
        return [signatures.row("SecKeyCreateSignature, P-256, against swift-crypto", target: 1.2)]
    }

    private func secKey(_ key: P256.Signing.PrivateKey) throws -> SecKey {
        let attributes =
            [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            ] as [String: Any]
        guard
            let key = SecKeyCreateWithData(key.x963Representation as CFData, attributes as CFDictionary, nil)
        else {
            throw BenchmarkError("no key")
        }
        return key
    }
}
