// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

@Suite struct AlgorithmTableTests {
    @Test func `no constant and no name is there twice`() {
        #expect(Set(KeyAlgorithm.table.map(\.constant)).count == KeyAlgorithm.table.count)
        #expect(Set(KeyAlgorithm.table.map(\.name)).count == KeyAlgorithm.table.count)
    }

    @Test func `every obstacle is in the way of something`() {
        #expect(Set(KeyAlgorithm.table.compactMap(\.obstacle)) == Set(KeyAlgorithm.Obstacle.allCases))
    }

    @Test func `a name that nobody has given is no algorithm`() {
        for name in ["", "algid:", "algid:sign:ECDSA:message-X962:SHA256 ", "ALGID:SIGN:RSA:RAW"] {
            #expect(KeyAlgorithm(named: name) == nil)
        }
    }

    @Test(arguments: KeyAlgorithm.table)
    func `a key supports what is for its type and half, and is offered`(algorithm: KeyAlgorithm) throws {
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
                                ? algorithm.obstacle.map { _ in .algorithmNotOffered } : .wrongAlgorithm),
                        "\(sample.testDescription) \(key.half) \(operation)"
                    )
                }
            }
        }
    }

    @Test(arguments: [1_024, 1_032, 1_040])
    func `a key signs with the hashes for which its modulus has room`(bits: Int) throws {
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

    /// What the operation throws before it looks at its input.
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
            // Of an empty signature or ciphertext, which says that the algorithm was tried.
            return [.signatureMismatch, .wrongInput].contains(error) ? nil : error
        }
    }
}
