// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects
import KeychainTestSupport
import Testing

/// Key agreement gives the same secret as `openssl`.
///
/// A thorough run tests every algorithm that is offered, other runs a sample of them.
@Suite struct AgreementTests {
    static let algorithms = KeyAlgorithm.offered { $0 == .agree }

    @Test(arguments: Sampling.some(3, of: algorithms, for: "algorithms of agreement"), Curve.allCases)
    func `openssl computes the same shared secret`(algorithm: KeyAlgorithm, curve: Curve) throws {
        let ours = try AsymmetricKey(generating: .ellipticCurve(curve))
        let sample = try #require(try SampleKey.all().first { $0.privateKey.curve == curve })
        let information = Data("shared".utf8)
        for size in algorithm.hash == nil ? [nil] : [1, 16, 20, 33, 200] {
            let secret = try ours.secret(
                with: sample.publicKey,
                by: algorithm,
                size: size,
                sharedInformation: information
            )
            let theirs = try theirs(sample, ours.publicHalf, algorithm, size, information)
            #expect(secret == theirs)
            let back = try sample.privateKey.secret(
                with: ours.publicHalf,
                by: algorithm,
                size: size,
                sharedInformation: information
            )
            #expect(back == secret)
        }
    }

    private func theirs(
        _ sample: SampleKey,
        _ peer: AsymmetricKey,
        _ algorithm: KeyAlgorithm,
        _ size: Int?,
        _ information: Data
    ) throws -> Data {
        let name = "peer-\(UUID())"
        try sample.folder.write(Data(peer.exportedBlock(as: .subjectPublicKeyInfo).text.utf8), to: name)
        let secret = try sample.folder.openssl("pkeyutl -derive -inkey key.pem -peerkey \(name)")
        guard let size else { return secret }
        return try sample.folder.openssl(
            """
            kdf -keylen \(size) -binary -kdfopt digest:\(algorithm.opensslHash) \
            -kdfopt hexkey:\(secret.hexadecimal) -kdfopt hexinfo:\(information.hexadecimal) X963KDF
            """
        )
    }

    @Test func `key agreement fails for incompatible keys`() throws {
        let plain = try #require(KeyAlgorithm(named: "algid:keyexchange:ECDH"))
        let p256 = try AsymmetricKey(generating: .ellipticCurve(.p256))
        let p384 = try AsymmetricKey(generating: .ellipticCurve(.p384))
        let rsa = try SampleKey.rsa()
        for other in [p384.publicHalf, p256, rsa.publicKey] {
            #expect(throws: AsymmetricKeyError.wrongInput) {
                try p256.secret(with: other, by: plain, size: nil, sharedInformation: Data())
            }
        }
        for wrong in [p256.publicHalf, rsa.privateKey] {
            #expect(throws: AsymmetricKeyError.wrongAlgorithm) {
                try wrong.secret(with: p256.publicHalf, by: plain, size: nil, sharedInformation: Data())
            }
        }
    }

    @Test(arguments: [nil, -1, Int.min, AsymmetricKey.largestSecret + 1, Int.max])
    func `an invalid secret size is rejected`(size: Int?) throws {
        let key = try AsymmetricKey(generating: .ellipticCurve(.p256))
        for algorithm in Self.algorithms where algorithm.hash != nil {
            #expect(throws: AsymmetricKeyError.wrongInput) {
                try key.secret(
                    with: key.publicHalf,
                    by: algorithm,
                    size: size,
                    sharedInformation: Data()
                )
            }
        }
    }

    @Test func `a secret of the maximum size is derived`() throws {
        let algorithm = try #require(KeyAlgorithm(named: "algid:keyexchange:ECDH:KDFX963:SHA1"))
        let key = try AsymmetricKey(generating: .ellipticCurve(.p521))
        for size in [0, AsymmetricKey.largestSecret] {
            let secret = try key.secret(
                with: key.publicHalf,
                by: algorithm,
                size: size,
                sharedInformation: Data()
            )
            #expect(secret.count == size)
        }
    }
}
