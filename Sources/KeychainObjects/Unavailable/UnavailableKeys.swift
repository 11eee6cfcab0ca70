// SPDX-License-Identifier: Apache-2.0

#if !Objects
package import FoundationEssentials

/// The placeholder for keys in builds without the package trait `Objects`.
///
/// Code that is also built without the trait uses these members. The type has no values: every initializer throws.
package struct AsymmetricKey: Hashable, Sendable {
    private let none: Never

    package init(generating specification: KeySpecification) throws(AsymmetricKeyError) {
        throw .unsupportedKey
    }

    package init(
        _ type: KeyType,
        _ half: KeyHalf,
        representation bytes: Data
    ) throws(AsymmetricKeyError) {
        throw .unsupportedKey
    }

    package init(subjectPublicKeyInfo bytes: Data) throws(AsymmetricKeyError) { throw .unsupportedKey }
    package init(pkcs8 bytes: Data) throws(AsymmetricKeyError) { throw .unsupportedKey }
    package init(der bytes: Data) throws(AsymmetricKeyError) { throw .unsupportedKey }
    package init(inToken point: Data) throws(AsymmetricKeyError) { throw .unsupportedKey }
    package init(file bytes: Data) throws(AsymmetricKeyError) { throw .unsupportedKey }
    package init?(_ block: PEMBlock) throws(AsymmetricKeyError) { throw .unsupportedKey }

    package var type: KeyType { switch none {} }
    package var half: KeyHalf { switch none {} }
    package var bits: Int { switch none {} }
    package var blockSize: Int { switch none {} }
    package var publicHalf: Self { switch none {} }
    package var applicationLabel: Data { switch none {} }
    package var externalRepresentation: Data { switch none {} }
    package var isInToken: Bool { switch none {} }
    package func digestToSign(_ input: Data, by algorithm: KeyAlgorithm) -> Data { switch none {} }
    package func signature(ofToken numbers: Data, by algorithm: KeyAlgorithm) -> Data { switch none {} }
    package func pointToAgree(with other: Self, by algorithm: KeyAlgorithm) -> Data { switch none {} }

    package static func secret(
        from coordinate: Data,
        by algorithm: KeyAlgorithm,
        size: Int?,
        sharedInformation: Data
    ) throws(AsymmetricKeyError) -> Data {
        throw .unsupportedKey
    }

    package init(sshBlob bytes: Data) throws(AsymmetricKeyError) { throw .unsupportedKey }
    package func sshBlob() throws(AsymmetricKeyError) -> Data { switch none {} }
    package func sshSignature(of data: Data, flags: UInt32) throws(AsymmetricKeyError) -> Data {
        switch none {}
    }
    package func exported(as format: KeyFormat) throws(AsymmetricKeyError) -> Data { switch none {} }
    package func exportedBlock(as format: KeyFormat) throws(AsymmetricKeyError) -> PEMBlock { switch none {} }
}

extension AsymmetricKey {
    package func supports(_ operation: KeyAlgorithm.Operation, with algorithm: KeyAlgorithm) -> Bool {
        switch none {}
    }

    package func signature(of input: Data, by algorithm: KeyAlgorithm) -> Data { switch none {} }
    package func verify(_ signature: Data, of input: Data, by algorithm: KeyAlgorithm) { switch none {} }
    package func encrypt(_ plaintext: Data, by algorithm: KeyAlgorithm) -> Data { switch none {} }
    package func decrypt(_ ciphertext: Data, by algorithm: KeyAlgorithm) -> Data { switch none {} }

    package func secret(
        with other: Self,
        by algorithm: KeyAlgorithm,
        size: Int?,
        sharedInformation: Data
    ) -> Data {
        switch none {}
    }
}
#endif
