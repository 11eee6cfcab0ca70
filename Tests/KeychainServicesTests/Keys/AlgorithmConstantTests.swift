// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainServices
import Testing

@Suite struct AlgorithmConstantTests {
    @Test func `each algorithm of the table has a Swift constant and vice versa`() {
        #expect(algorithmConstants.map(\.constant) == KeyAlgorithm.table.map(\.constant))
        #expect(algorithmConstants.map(\.name) == KeyAlgorithm.table.map(\.name))
        for (algorithm, constant, name) in algorithmConstants {
            #expect(algorithm.rawValue as String == name, "\(constant)")
            #expect(SecKeyAlgorithm(rawValue: name as CFString) == algorithm)
        }
        #expect(Set(algorithmConstants.map(\.algorithm)).count == algorithmConstants.count)
    }

    @Test func `SecKeyAlgorithm has no constant that is missing in the table`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/KeychainServices/Keys/SecKeyAlgorithm+Names.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.split(separator: "public static let ").count - 1 == algorithmConstants.count)
    }

    @Test func `operations and parameters have Apple's values`() {
        let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]
        #expect(operations.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(SecKeyKeyExchangeParameter.requestedSize.rawValue == "requestedSize")
        #expect(SecKeyKeyExchangeParameter.sharedInfo.rawValue == "sharedInfo")
    }

    @Test func `a key supports the implemented algorithms`() throws {
        let keys = try [KeyPair.rsa(), KeyPair.ellipticCurve()].flatMap { [$0.private, $0.public] }
        let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]
        for (entry, row) in zip(algorithmConstants, KeyAlgorithm.table) {
            for key in keys {
                let half: KeyHalf = try key.isPrivate ? .private : .public
                for operation in operations {
                    let isRSA = try key.isRSA
                    let isOffered =
                        row.obstacle == nil && (row.keyType == .rsa) == isRSA
                        && row.operation(of: half)?.rawValue == operation.rawValue
                    #expect(
                        SecKeyIsAlgorithmSupported(key, operation, entry.algorithm) == isOffered,
                        "\(entry.constant) \(key) \(operation)"
                    )
                }
            }
        }
        for key in keys {
            #expect(!SecKeyIsAlgorithmSupported(key, .sign, SecKeyAlgorithm(rawValue: "algid:sign:none")))
        }
    }
}
