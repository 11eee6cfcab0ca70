// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct AlgorithmTableTests {
    @Test func `constants and names of algorithms are unique`() {
        #expect(Set(KeyAlgorithm.table.map(\.constant)).count == KeyAlgorithm.table.count)
        #expect(Set(KeyAlgorithm.table.map(\.name)).count == KeyAlgorithm.table.count)
    }

    @Test func `each reason for not offering an algorithm occurs in the table`() {
        #expect(Set(KeyAlgorithm.table.compactMap(\.obstacle)) == Set(KeyAlgorithm.Obstacle.allCases))
    }

    @Test func `an unknown name is not an algorithm`() {
        for name in ["", "algid:", "algid:sign:ECDSA:message-X962:SHA256 ", "ALGID:SIGN:RSA:RAW"] {
            #expect(KeyAlgorithm(named: name) == nil)
        }
    }

    @Test(arguments: KeyAlgorithm.table)
    func `a key supports the implemented algorithms for its type and class`(algorithm: KeyAlgorithm) throws {
        for sample in try SampleKey.all() {
            for key in [sample.privateKey, sample.publicKey] {
                for operation in KeyAlgorithm.Operation.allCases {
                    let isFor =
                        key.type == algorithm.keyType && algorithm.operation(of: key.half) == operation
                    let supports = key.supports(operation, with: algorithm)
                    #expect(supports == (isFor && algorithm.obstacle == nil))
                    #expect(
                        error(key, operation, algorithm)
                            == (isFor
                                ? algorithm.obstacle.map { _ in .algorithmNotImplemented } : .wrongAlgorithm),
                        "\(sample.testDescription) \(key.half) \(operation)"
                    )
                }
            }
        }
    }

    @Test(arguments: [1_024, 1_032, 1_040])
    func `a key signs only with hashes that fit its modulus`(bits: Int) throws {
        let folder = try OpenSSLFolder()
        let file = try folder.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:\(bits)")
        let key = try AsymmetricKey(file: file)
        for algorithm in KeyAlgorithm.offered({ $0 == .sign(.pss, of: .message) }) {
            let signature = try? key.signature(of: Data("text".utf8), by: algorithm)
            #expect((signature != nil) == (bits == 1_040 || algorithm.hash != .sha512))
            #expect(key.supports(.sign, with: algorithm) == (signature != nil))
            #expect(key.publicHalf.supports(.verify, with: algorithm) == (signature != nil))
        }
    }

    /// Returns the error with which an operation fails for an unsupported algorithm or key; `nil` if both are
    /// supported.
    private func error(
        _ key: AsymmetricKey,
        _ operation: KeyAlgorithm.Operation,
        _ algorithm: KeyAlgorithm
    ) -> AsymmetricKeyError? {
        let input = Data(count: algorithm.hash?.byteCount ?? 32)
        do {
            switch operation {
            case .sign: _ = try key.signature(of: input, by: algorithm)
            case .verify: try key.verify(Data(), of: input, by: algorithm)
            case .encrypt: _ = try key.encrypt(input, by: algorithm)
            case .decrypt: _ = try key.decrypt(Data(), by: algorithm)
            case .agree:
                _ = try key.secret(
                    with: key.publicHalf,
                    by: algorithm,
                    size: 32,
                    sharedInformation: Data()
                )
            }
            return nil
        } catch {
            // The empty signature or ciphertext causes these errors, so the algorithm itself is supported.
            return [.signatureMismatch, .wrongInput].contains(error) ? nil : error
        }
    }
}
